package classad

// primary reads an operand that does not begin with an operator.
func (p *parser) primary() (node, error) {
	t := p.token
	switch {
	case t.kind == tokenLiteral:
		return &literal{t.value}, p.advance()
	case t.kind == tokenName:
		return p.named()
	case t.is('.'):
		return p.selection(nil, true)
	case t.is('('):
		return p.group()
	case t.is('{'):
		elements, err := p.sequence('}')
		return &list{elements}, err
	case t.is('['):
		return p.record()
	}
	return nil, p.fault("an operand")
}

// named reads an attribute reference or a call.
func (p *parser) named() (node, error) {
	name := p.token.name
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.token.is('(') {
		return &reference{nil, name, fold(name), false}, nil
	}
	arguments, err := p.sequence(')')
	return &call{name, functions[fold(name)], arguments}, err
}

func (p *parser) group() (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	inner, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &group{inner}, p.expect(')')
}

// sequence reads expressions with commas between them, from the opening sign to the closing one.
func (p *parser) sequence(closing byte) ([]node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	var nodes []node
	for !p.token.is(closing) || nodes != nil {
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
		if !p.token.is(',') {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return nodes, p.expect(closing)
}

// record reads [ name = expression; ... ]; a later attribute replaces an earlier one of the same name.
func (p *parser) record() (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	ad := newAd()
	for !p.token.is(']') {
		if p.token.is(';') {
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		}
		if err := p.attribute(ad); err != nil {
			return nil, err
		}
		if !p.token.is(']') && !p.token.is(';') {
			return nil, p.fault("; or ]")
		}
	}
	return &record{ad}, p.expect(']')
}

func (p *parser) attribute(ad Ad) error {
	if p.token.kind != tokenName {
		return p.fault("an attribute name or ]")
	}
	name := p.token.name
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect('='); err != nil {
		return err
	}
	value, err := p.expression()
	ad.SetExpr(name, &Expr{value})
	return err
}
