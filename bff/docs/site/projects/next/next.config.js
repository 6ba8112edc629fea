export default { allowedDevOrigins: ["127.0.0.1"] };
