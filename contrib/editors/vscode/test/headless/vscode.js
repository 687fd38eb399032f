// The API of Visual Studio Code as far as vscode-languageclient calls it, without the
// program: jest-mock-vscode's, with what that lacks, and providers that tests can ask.
//
// It stands in the place of the module `vscode` for whatever is required behind it.

const Module = require('module');
const { EventEmitter } = require('events');

/** A function that remembers nothing; jest-mock-vscode wants to be given one. */
const fn = (f) => Object.assign(f ?? (() => undefined), { mockImplementation: (g) => fn(g), mockReturnValue: (v) => fn(() => v) });

const mock = require('jest-mock-vscode').createVSCodeMock({ fn, spyOn: () => fn() });

class Hover {
  constructor(contents, range) {
    this.contents = Array.isArray(contents) ? contents : [contents];
    this.range = range;
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  cancel() {}
  dispose() {}
}

/** A class for what is only made, extended or compared. */
const plain = () => class { constructor(...args) { Object.assign(this, { args }); } };

/** What was registered, by the name of the function: registerHoverProvider and so on. */
const providers = {};
const disposable = { dispose() {} };
const languages = {
  match: (selector, doc) => ([].concat(selector).some((s) => (s.language ?? s) === doc.languageId) ? 10 : 0),
  createDiagnosticCollection: () => collection,
};
const events = new EventEmitter();
const on = (name) => (f, self) => {
  events.on(name, f.bind(self));
  return disposable;
};

/** What is wrong, by URI. */
const collection = {
  found: new Map(),
  set(uri, list) {
    this.found.set(uri.toString(), list ?? []);
    events.emit('diagnostics', uri.toString());
  },
  delete(uri) { this.found.delete(uri.toString()); },
  clear() { this.found.clear(); },
  dispose() {},
};

const settings = {};
const documents = [];
const workspace = {
  textDocuments: documents,
  notebookDocuments: [],
  workspaceFolders: undefined,
  getConfiguration: (section) => ({
    get: (key, fallback) => settings[section ? `${section}.${key}` : key] ?? fallback,
    has: (key) => `${section}.${key}` in settings,
  }),
  getWorkspaceFolder: () => undefined,
  createFileSystemWatcher: () => ({ onDidCreate: on('create'), onDidChange: on('saved'), onDidDelete: on('delete'), dispose() {} }),
  onDidOpenTextDocument: on('open'),
  onDidChangeTextDocument: on('change'),
  onDidCloseTextDocument: on('close'),
};

const unknown = (known, what) => new Proxy(known, {
  get(target, key) {
    if (key in target || typeof key === 'symbol' || key === 'then') return target[key];
    if (what === 'languages' && key.startsWith('register')) {
      return (...args) => {
        providers[key] = args.find((a) => typeof a === 'object' && Object.keys(a).some((k) => k.startsWith('provide') || k.startsWith('on'))) ?? args[1];
        return disposable;
      };
    }
    if (/^on(Did|Will)/.test(key)) return on(key);
    if (/^[A-Z]/.test(key)) return (target[key] = plain());
    return fn(() => (/^(create|register)/.test(key) ? unknown({ ...disposable }) : undefined));
  },
});

const vscode = unknown({
  ...mock,
  Hover,
  CancellationTokenSource,
  version: '1.91.0',
  languages: unknown(languages, 'languages'),
  workspace: unknown(workspace),
  window: unknown({ activeTextEditor: undefined, visibleTextEditors: [], tabGroups: unknown({ all: [] }), showErrorMessage: async (m) => console.error(m) }),
  env: unknown({ appName: 'headless', language: 'en', machineId: 'none', uiKind: 1 }),
  extensions: unknown({ all: [], getExtension: () => undefined }),
  l10n: { t: (s) => s },
  commands: unknown({ registerCommand: () => disposable, executeCommand: async () => undefined }),
  notebooks: unknown({}),
  tests: unknown({}),
  lm: unknown({}),
  chat: unknown({}),
  scm: unknown({}),
  comments: unknown({}),
  debug: unknown({}),
  authentication: unknown({}),
}, 'vscode');

const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));

module.exports = { vscode, providers, collection, settings, documents, events };
