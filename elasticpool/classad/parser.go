package classad

// The limits of Parse. HTCondor's own expressions stay far below them.
const (
	maxLength = 64 << 10 // bytes
	maxDepth  = 200      // parentheses, lists, calls and prefix operators within each other
)

// parser builds the tree of an expression with one token of lookahead. Its methods stop at the first fault.
type parser struct {
	lexer lexer
	token token
	depth int
}

// Parse reads one ClassAd expression in the syntax of HTCondor's tools ("new ClassAds"). The error is an *Error with
// the column of the fault.
func Parse(text string) (*Expr, error) {
	if len(text) > maxLength {
		return nil, &Error{Column: maxLength + 1, Found: "more text", Want: "at most 64 KiB", reason: ErrTooLarge}
	}
	p := &parser{lexer: lexer{text: text}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	root, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.token.kind != tokenEnd {
		return nil, p.fault("an operator or the end")
	}
	return &Expr{root}, nil
}

// expression is test ? then : otherwise, test ?: otherwise, or a binary expression.
func (p *parser) expression() (node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	test, err := p.binary(1)
	if err != nil || !p.token.is('?') {
		return test, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var then node
	if !p.token.is(':') {
		if then, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if err := p.expect(':'); err != nil {
		return nil, err
	}
	otherwise, err := p.expression()
	return &conditional{test, then, otherwise}, err
}

// binary reads operands and operators that bind at least that strongly; all group from the left.
func (p *parser) binary(binds int) (node, error) {
	left, err := p.unary()
	for err == nil && p.token.kind == tokenOperator && operators[p.token.op].binds >= binds {
		op := p.token.op
		if err = p.advance(); err != nil {
			break
		}
		var right node
		right, err = p.binary(operators[op].binds + 1)
		left = &binary{op, left, right}
	}
	return left, err
}

func (p *parser) unary() (node, error) {
	if p.token.kind != tokenOperator || !p.token.op.unary() {
		return p.postfix()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	op := p.token.op
	if err := p.advance(); err != nil {
		return nil, err
	}
	operand, err := p.unary()
	return &unary{op, operand}, err
}

// postfix reads selections and subscripts after an operand.
func (p *parser) postfix() (node, error) {
	n, err := p.primary()
	for err == nil {
		switch {
		case p.token.is('.'):
			n, err = p.selection(n, false)
		case p.token.is('['):
			n, err = p.subscript(n)
		default:
			return n, nil
		}
	}
	return n, err
}

func (p *parser) selection(on node, absolute bool) (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.token.kind != tokenName {
		return nil, p.fault("an attribute name")
	}
	name := p.token.name
	return &reference{on, name, fold(name), absolute}, p.advance()
}

func (p *parser) subscript(on node) (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	at, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &subscript{on, at}, p.expect(']')
}

// enter and leave bound the nesting of the text, and with it the stack of the parser.
func (p *parser) enter() error {
	p.depth++
	if p.depth > maxDepth {
		return &Error{p.token.from + 1, p.token.found(p.lexer.text), "less nesting", ErrTooLarge}
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) advance() (err error) {
	p.token, err = p.lexer.next()
	return err
}

func (p *parser) expect(sign byte) error {
	if !p.token.is(sign) {
		return p.fault(string(sign))
	}
	return p.advance()
}

func (p *parser) fault(want string) error {
	return &Error{p.token.from + 1, p.token.found(p.lexer.text), want, ErrSyntax}
}
