import java.util.Base64;

final class Main {
  public static void main(String[] given) throws Exception {
    for (int at = 0; at < given.length; at += 3) {
      String signature = given[at + 1].equals("-") ? null : given[at + 1];
      System.out.println(VerifyWebhook.isGenuine(Base64.getDecoder().decode(given[at]), signature, given[at + 2]));
    }
  }
}
