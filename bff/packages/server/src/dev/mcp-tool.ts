import type { McpServer, ToolCallback } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { wordsOf } from "./output.ts";

/** What a tool may do, as an assistant decides whether to ask its user first. All of it is in the sandbox. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
export const ADDS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
export const CHANGES: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

export interface Tool<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  /** Fields that every answer has. It may have others. */
  readonly output: Output;
  readonly answer: (input: z.output<z.ZodObject<Input>>) => Promise<object>;
}

/** Registers a tool whose answer is structured, and the same as text. Its error is text. */
export function addTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  server: McpServer,
  { name, title, description, annotations, input, output, answer }: Tool<Input, Output>,
): void {
  const schema = z.object(input);
  const handle = async (given: unknown): Promise<CallToolResult> => {
    try {
      const structuredContent = { ...(await answer(schema.parse(given))) };
      return { structuredContent, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
    } catch (error) {
      return { content: [{ type: "text", text: wordsOf(error) }], isError: true };
    }
  };
  server.registerTool(
    name,
    { title, description, annotations, inputSchema: input, outputSchema: z.looseObject(output) },
    // The library's type of a callback depends on the shape, which is generic here.
    handle as ToolCallback<Input>,
  );
}
