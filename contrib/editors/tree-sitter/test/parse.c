// Parses files, and prints one line for each: the tree, as tree-sitter writes it.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_cortex(void);

int main(int argc, char **argv) {
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, tree_sitter_cortex())) return 1;
  for (int i = 1; i < argc; i++) {
    FILE *f = fopen(argv[i], "rb");
    if (f == NULL) return 1;
    char *text = malloc(2 << 20);
    size_t n = fread(text, 1, 2 << 20, f);
    fclose(f);
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, n);
    char *drawn = ts_node_string(ts_tree_root_node(tree));
    printf("%s\n", drawn);
    free(drawn);
    ts_tree_delete(tree);
    free(text);
  }
  ts_parser_delete(parser);
  return 0;
}
