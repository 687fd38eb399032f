-- Neovim: require('cortex').setup({ rules = { 'rules' }, record = 'state' }) asks `cortex
-- lsp` in every rule file. All options may be left out.
local M = {}

--- The command line of the language server.
function M.command(options)
  local cmd = { options.program or 'cortex', 'lsp' }
  for _, path in ipairs(options.rules or {}) do
    vim.list_extend(cmd, { '--rules', path })
  end
  if options.record then
    vim.list_extend(cmd, { '--dir', options.record })
  end
  return cmd
end

--- Starts the server for a buffer, or gives it the one that runs.
function M.start(options, buffer)
  M.id = M.id or vim.lsp.start_client({
    name = 'cortex',
    cmd = M.command(options),
    root_dir = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':h'),
    on_exit = function() M.id = nil end,
  })
  vim.lsp.buf_attach_client(buffer, M.id)
  return M.id
end

function M.setup(options)
  options = options or {}
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'cortex',
    callback = function(event) M.start(options, event.buf) end,
  })
end

return M
