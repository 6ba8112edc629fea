export default { reactStrictMode: true, allowedDevOrigins: ["127.0.0.1"], devIndicators: false };
