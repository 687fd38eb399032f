// Block comments, from #| to |#. They nest, so no regular expression finds their end.

#include <tree_sitter/parser.h>

enum { BLOCK_COMMENT };

void *tree_sitter_cortex_external_scanner_create(void) { return NULL; }

void tree_sitter_cortex_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_cortex_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_cortex_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

bool tree_sitter_cortex_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  if (!valid[BLOCK_COMMENT]) return false;
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r' ||
         lexer->lookahead == '\n' || lexer->lookahead == '\f') {
    lexer->advance(lexer, true);
  }
  if (lexer->lookahead != '#') return false;
  lexer->advance(lexer, false);
  if (lexer->lookahead != '|') return false;
  lexer->advance(lexer, false);
  unsigned open = 1;
  while (!lexer->eof(lexer)) {
    int32_t c = lexer->lookahead;
    lexer->advance(lexer, false);
    if (c == '|' && lexer->lookahead == '#') {
      lexer->advance(lexer, false);
      if (--open == 0) {
        lexer->result_symbol = BLOCK_COMMENT;
        return true;
      }
    } else if (c == '#' && lexer->lookahead == '|') {
      lexer->advance(lexer, false);
      open++;
    }
  }
  return false;
}
