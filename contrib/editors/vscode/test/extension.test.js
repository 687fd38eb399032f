// The extension's own code and vscode-languageclient, against the real `cortex lsp`, whose
// path is in $CORTEX. The editor's API is that of test/headless/vscode.js.

const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { vscode, providers, collection, settings, documents, events } = require('./headless/vscode.js');
const extension = require('../extension.js');

const tools = '(deftool pay\n  :doc "Pays an invoice."\n  :params (:to string :amount number)\n  :required (:to :amount)\n  :tier :allow)\n';
const rules = `(include "tools.lisp")
; Ünïcode 🙂: characters beyond ASCII stand before what is asked about.
(defskill payments
  :trigger (= action.tool "pay")
  :gate ((deny "🙂" :when (> action.args.amount 5))))
`;

class Document {
  constructor(file, text) {
    this.uri = vscode.Uri.file(file);
    this.fileName = file;
    this.languageId = 'cortex';
    this.version = 1;
    this.text = text;
    this.lineCount = text.split('\n').length;
    this.isClosed = this.isDirty = this.isUntitled = false;
    this.eol = 1;
  }
  getText() { return this.text; }
  place(word) {
    const before = this.text.slice(0, this.text.indexOf(word)).split('\n');
    return new vscode.Position(before.length - 1, before.at(-1).length); // JavaScript counts in UTF-16
  }
}

const token = new vscode.CancellationTokenSource().token;
const seen = (uri) => new Promise((resolve) => {
  const look = (changed) => {
    if (changed !== uri.toString()) return;
    events.off('diagnostics', look);
    resolve(collection.found.get(changed));
  };
  events.on('diagnostics', look);
});

test('the extension', { timeout: 60_000 }, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cortex-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.writeFileSync(path.join(folder, 'tools.lisp'), tools);
  const file = path.join(folder, 'a.lisp');
  fs.writeFileSync(file, rules);
  settings['cortex.path'] = process.env.CORTEX ?? 'cortex';
  if (process.env.CORTEX_RECORD) settings['cortex.record'] = process.env.CORTEX_RECORD;

  const doc = new Document(file, rules);
  documents.push(doc);
  const published = seen(doc.uri);
  const client = await extension.activate({ subscriptions: [] });
  t.after(() => extension.deactivate());

  await t.test('shows what is wrong, in the words of the program', async () => {
    const found = await published;
    assert.equal(found.length, 1);
    assert.match(found[0].message, /has no fit name/);
    assert.deepEqual([found[0].range.start.line, found[0].range.start.character, found[0].range.end.character], [4, 15, 19]);
  });

  await t.test('shows types and texts', async () => {
    const hover = await providers.registerHoverProvider.provideHover(doc, doc.place('amount 5'), token);
    assert.match(JSON.stringify(hover), /:amount number/);
    assert.match(JSON.stringify(await providers.registerHoverProvider.provideHover(doc, doc.place('pay"'), token)), /Pays an invoice/);
  });

  await t.test('completes', async () => {
    const got = await providers.registerCompletionItemProvider.provideCompletionItems(doc, doc.place('amount 5'), token, { triggerKind: 0 });
    const labels = (got.items ?? got).map((i) => i.label?.label ?? i.label);
    assert.ok(labels.includes('action.args.amount'), labels.join(' '));
  });

  await t.test('finds where a name is given, and where it is used', async () => {
    const at = await providers.registerDefinitionProvider.provideDefinition(doc, doc.place('pay"'), token);
    assert.match(String(at[0].uri ?? at[0].targetUri), /tools\.lisp$/);
    const uses = await providers.registerReferenceProvider.provideReferences(doc, doc.place('amount 5'), { includeDeclaration: true }, token);
    assert.equal(uses.length, 3);
  });

  await t.test('renames in every file', async () => {
    const fit = new Document(file, rules.replace('"🙂"', 'large'));
    fit.version = 2;
    const fixed = seen(doc.uri);
    Object.assign(doc, { text: fit.text, version: 2 });
    events.emit('change', { document: doc, contentChanges: [{ text: fit.text }], reason: undefined });
    assert.deepEqual(await fixed, []);
    const edit = await providers.registerRenameProvider.provideRenameEdits(doc, doc.place('pay"'), 'sendMoney', token);
    const changed = edit.entries();
    assert.equal(changed.length, 2);
    assert.match(JSON.stringify(changed), /\|sendMoney\|/);
  });

  await t.test('formats', async () => {
    const format = () => providers.registerDocumentFormattingEditProvider.provideDocumentFormattingEdits(doc, { tabSize: 2, insertSpaces: true }, token);
    assert.deepEqual(await format(), []);
    const messy = seen(doc.uri);
    Object.assign(doc, { text: doc.text.replace('  :trigger', ':trigger'), version: 3 });
    events.emit('change', { document: doc, contentChanges: [{ text: doc.text }], reason: undefined });
    await messy;
    const edits = await format();
    assert.equal(edits.length, 1);
    assert.match(edits[0].newText, /\n  :trigger/);
  });

  await t.test('says how often a clause fired', { skip: !process.env.CORTEX_RECORD && 'no record was made' }, async () => {
    const lenses = await providers.registerCodeLensProvider.provideCodeLenses(doc, token);
    assert.match(lenses[0].command.title, /^fired in \d+ of \d+ decisions/);
  });

  assert.ok(client.isRunning());
});

test('the arguments that settings ask for', () => {
  const config = (values) => ({ get: (key, fallback) => values[key] ?? fallback });
  assert.deepEqual(extension.argumentsOf(config({})), ['lsp']);
  assert.deepEqual(extension.argumentsOf(config({ rules: ['a', 'b'], record: 'state' })), ['lsp', '--rules', 'a', '--rules', 'b', '--dir', 'state']);
});

test('the grammar for colours is made of regular expressions', () => {
  const grammar = JSON.parse(fs.readFileSync(path.join(__dirname, '../syntaxes/cortex.tmLanguage.json'), 'utf8'));
  for (const p of grammar.patterns) for (const re of [p.match, p.begin, p.end]) if (re) new RegExp(re);
  const head = new RegExp(grammar.patterns.find((p) => p.captures).match);
  assert.equal('(defskill payments'.match(head)[2], 'payments');
});
