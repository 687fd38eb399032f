-- nvim --headless -l: asks the language server about a.lisp of the current folder.
vim.o.runtimepath = os.getenv('CORTEX_VIM') .. ',' .. vim.o.runtimepath
vim.cmd('runtime! ftdetect/cortex.vim | filetype plugin on')
require('cortex').setup({})
vim.cmd('edit a.lisp')
local say = function(text) io.stdout:write(text .. '\n') end
say('filetype ' .. vim.bo.filetype)
local client = vim.lsp.get_client_by_id(require('cortex').id)
assert(vim.wait(20000, function() return client.initialized and #vim.diagnostic.get(0) > 0 end, 20), 'no diagnostics')
local d = vim.diagnostic.get(0)[1]
say(('wrong %d:%d %s'):format(d.lnum + 1, d.col + 1, d.message))
local function ask(method, word, more)
  vim.fn.cursor(1, 1)
  vim.fn.search(word)
  local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(0, client.offset_encoding), more or {})
  local got = vim.lsp.buf_request_sync(0, method, params, 20000)
  return assert(got[client.id].result, vim.inspect(got))
end
say('hover ' .. ask('textDocument/hover', 'known').contents.value:gsub('\n', ' '))
say('definition ' .. ask('textDocument/definition', 'known')[1].uri:match('[^/]*$'))
vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', 'known', { newName = 'payees' }), client.offset_encoding)
say('renamed ' .. tostring(vim.fn.search('payees)') > 0))
local edits = vim.lsp.buf_request_sync(0, 'textDocument/formatting', vim.lsp.util.make_formatting_params(), 20000)
vim.lsp.util.apply_text_edits(edits[client.id].result, 0, client.offset_encoding)
say(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'))
vim.lsp.stop_client(client.id)
assert(vim.wait(5000, function() return client.is_stopped() end, 20), 'it did not stop')
vim.cmd('qall!')
