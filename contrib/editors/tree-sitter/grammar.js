/**
 * Cortex's notation, for editors: rule files, proposals and records. It says how a text is
 * built of lists and words. Which words a rule file may hold is for `cortex lsp` to say.
 */

const part = /[A-Za-z0-9!$%&*+\-.\/<=>?@^_~]/; // of a name without bars
const barred = /\|([^|\\]|\\[^\n])*\|/;

module.exports = grammar({
  name: 'cortex',

  externals: ($) => [$.block_comment],

  extras: ($) => [/[ \t\r\n\f]/, $.comment, $.block_comment],

  rules: {
    source_file: ($) => repeat($._datum),

    _datum: ($) => choice($.list, $.quote, $.keyword, $.number, $.string, $.symbol),

    list: ($) => seq('(', repeat($._datum), ')'),

    quote: ($) => seq("'", $._datum),

    keyword: () => token(seq(':', repeat1(choice(part, barred)))),

    symbol: () => token(choice('{}', repeat1(choice(part, barred)))),

    number: () => token(prec(1, /[+\-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+\-]?[0-9]+)?/)),

    string: ($) =>
      seq('"', repeat(choice(token.immediate(prec(1, /[^"\\]+/)), $.escape)), token.immediate('"')),

    escape: () => token.immediate(/\\(u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|["\\|nrt])/),

    comment: () => token(/;[^\n]*/),
  },
});
