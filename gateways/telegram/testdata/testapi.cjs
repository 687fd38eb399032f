// npm's telegram-test-api as a service: a Telegram that others wrote. NODE_JUDGES is
// the folder that holds node_modules, PORT where it listens.
const { createRequire } = require("node:module");
const TelegramServer = createRequire(process.env.NODE_JUDGES + "/")("telegram-test-api");

const server = new (TelegramServer.TelegramServer || TelegramServer)({ host: "127.0.0.1", port: Number(process.env.PORT), storeTimeout: 3600 });
server.start().then(() => console.log("listens"));
