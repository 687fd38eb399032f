package mysql

import "github.com/pingcap/tidb/pkg/parser/ast"

// kindOf names what a statement does. What is not listed is "other".
func kindOf(n ast.StmtNode) string {
	switch n := n.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		return "select"
	case *ast.InsertStmt:
		if n.IsReplace {
			return "replace"
		}
		return "insert"
	case *ast.UpdateStmt:
		return "update"
	case *ast.DeleteStmt:
		return "delete"
	case *ast.TruncateTableStmt:
		return "truncate"
	case *ast.ExplainStmt, *ast.ExplainForStmt:
		return "explain"
	case *ast.ShowStmt:
		return "show"
	case *ast.SetStmt, *ast.SetPwdStmt, *ast.SetRoleStmt:
		return "set"
	case *ast.UseStmt:
		return "use"
	case *ast.CallStmt:
		return "call"
	case *ast.LoadDataStmt:
		return "load"
	case *ast.PrepareStmt, *ast.ExecuteStmt, *ast.DeallocateStmt:
		return "prepare"
	case *ast.BeginStmt, *ast.CommitStmt, *ast.RollbackStmt, *ast.SavepointStmt, *ast.ReleaseSavepointStmt:
		return "transaction"
	case *ast.GrantStmt, *ast.GrantRoleStmt, *ast.RevokeStmt, *ast.RevokeRoleStmt:
		return "grant"
	}
	return schemaKindOf(n)
}

// schemaKindOf names what a statement does to a schema.
func schemaKindOf(n ast.StmtNode) string {
	switch n.(type) {
	case *ast.CreateDatabaseStmt, *ast.CreateTableStmt, *ast.CreateViewStmt, *ast.CreateIndexStmt, *ast.CreateUserStmt,
		*ast.CreateSequenceStmt:
		return "create"
	case *ast.AlterTableStmt, *ast.AlterDatabaseStmt, *ast.AlterUserStmt, *ast.AlterSequenceStmt, *ast.RenameTableStmt:
		return "alter"
	case *ast.DropDatabaseStmt, *ast.DropTableStmt, *ast.DropIndexStmt, *ast.DropUserStmt, *ast.DropSequenceStmt:
		return "drop"
	}
	return "other"
}
