package classad

// operator is one of the operators that are written as signs or as the words is and isnt.
type operator uint8

const (
	opNone operator = iota
	opOr
	opAnd
	opBitOr
	opBitXor
	opBitAnd
	opEqual
	opNotEqual
	opIs
	opIsnt
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opShiftLeft
	opShiftRight
	opShiftRightUnsigned
	opAdd
	opSubtract
	opMultiply
	opDivide
	opModulus
	opNot
	opBitNot
)

// operators has the text that HTCondor prints, and how strongly a binary operator binds (0: only unary).
var operators = [...]struct {
	text  string
	binds int
}{
	opOr:                 {"||", 1},
	opAnd:                {"&&", 2},
	opBitOr:              {"|", 3},
	opBitXor:             {"^", 4},
	opBitAnd:             {"&", 5},
	opEqual:              {"==", 6},
	opNotEqual:           {"!=", 6},
	opIs:                 {"is", 6},
	opIsnt:               {"isnt", 6},
	opLess:               {"<", 7},
	opLessEqual:          {"<=", 7},
	opGreater:            {">", 7},
	opGreaterEqual:       {">=", 7},
	opShiftLeft:          {"<<", 8},
	opShiftRight:         {">>", 8},
	opShiftRightUnsigned: {">>>", 8},
	opAdd:                {"+", 9},
	opSubtract:           {"-", 9},
	opMultiply:           {"*", 10},
	opDivide:             {"/", 10},
	opModulus:            {"%", 10},
	opNot:                {"!", 0},
	opBitNot:             {"~", 0},
}

// signs are the spellings the lexer knows, longest first, so that ">>>" is not read as ">>" and ">".
var signs = []struct {
	text string
	op   operator
}{
	{">>>", opShiftRightUnsigned},
	{"=?=", opIs},
	{"=!=", opIsnt},
	{"||", opOr},
	{"&&", opAnd},
	{"==", opEqual},
	{"!=", opNotEqual},
	{"<=", opLessEqual},
	{">=", opGreaterEqual},
	{"<<", opShiftLeft},
	{">>", opShiftRight},
	{"|", opBitOr},
	{"^", opBitXor},
	{"&", opBitAnd},
	{"<", opLess},
	{">", opGreater},
	{"+", opAdd},
	{"-", opSubtract},
	{"*", opMultiply},
	{"/", opDivide},
	{"%", opModulus},
	{"!", opNot},
	{"~", opBitNot},
}

func (op operator) String() string { return operators[op].text }

func (op operator) unary() bool {
	return op == opAdd || op == opSubtract || op == opNot || op == opBitNot
}
