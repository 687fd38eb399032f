// The client of `cortex lsp`, for Visual Studio Code.

const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

/** The arguments that the settings ask for. */
function argumentsOf(config) {
  const args = ['lsp'];
  for (const path of config.get('rules', [])) args.push('--rules', path);
  const record = config.get('record', '');
  if (record !== '') args.push('--dir', record);
  return args;
}

async function start() {
  const config = vscode.workspace.getConfiguration('cortex');
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server = {
    command: config.get('path', 'cortex'),
    args: argumentsOf(config),
    options: folder === undefined ? {} : { cwd: folder },
    transport: TransportKind.stdio,
  };
  const languages = {
    documentSelector: [{ language: 'cortex', scheme: 'file' }, { language: 'cortex', scheme: 'untitled' }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.lisp') },
  };
  client = new LanguageClient('cortex', 'Cortex rules', server, languages);
  await client.start();
  return client;
}

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration('cortex')) return;
      await client?.stop();
      await start();
    }),
  );
  return start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate, argumentsOf };
