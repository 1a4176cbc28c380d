package classad

// printer collects the text of an expression.
type printer struct {
	text     []byte
	verbatim bool // as HTCondor prints it, even when Parse reads that as something else
}

func (p *printer) add(text string) { p.text = append(p.text, text...) }

func (n *literal) write(p *printer) { n.value.write(p) }

func (n *reference) write(p *printer) {
	if n.on != nil {
		n.on.write(p)
	}
	if l, ok := n.on.(*literal); ok && l.value.kind == KindInteger && !p.verbatim {
		p.add(" ") // without it the point would become a part of the number
	}
	if n.on != nil || n.absolute {
		p.add(".")
	}
	writeName(p, n.name)
}

func (n *group) write(p *printer) {
	p.add("(")
	n.inner.write(p)
	p.add(")")
}

func (n *unary) write(p *printer) {
	if p.verbatim {
		p.add(" ")
	}
	p.add(n.op.String())
	operand := printer{verbatim: p.verbatim}
	n.operand.write(&operand)
	if n.op == opSubtract && isDigit(operand.text[0]) && !p.verbatim {
		p.add(" ") // without it the minus would become a part of the number
	}
	p.add(string(operand.text))
}

func (n *binary) write(p *printer) {
	n.left.write(p)
	p.add(" " + n.op.String() + " ")
	n.right.write(p)
}

func (n *conditional) write(p *printer) {
	n.test.write(p)
	if n.then == nil {
		p.add(" ?: ")
	} else {
		p.add(" ? ")
		n.then.write(p)
		p.add(" : ")
	}
	n.otherwise.write(p)
}

func (n *subscript) write(p *printer) {
	n.on.write(p)
	p.add("[")
	n.at.write(p)
	p.add("]")
}

func (n *call) write(p *printer) {
	writeName(p, n.name)
	p.add("(")
	writeAll(p, n.arguments)
	p.add(")")
}

func (n *list) write(p *printer) {
	p.add("{ ")
	writeAll(p, n.elements)
	p.add(" }")
}

func (n *record) write(p *printer) {
	p.add("[ ")
	for i, a := range n.ad.sorted() {
		if i > 0 {
			p.add("; ")
		}
		writeName(p, a.name)
		p.add(" = ")
		a.expr.root.write(p)
	}
	p.add(" ]")
}

func writeAll(p *printer, nodes []node) {
	for i, n := range nodes {
		if i > 0 {
			p.add(",")
		}
		n.write(p)
	}
}

// writeName quotes a name that the lexer would not read as one.
func writeName(p *printer, name string) {
	plain := name != "" && !isDigit(name[0])
	for i := range len(name) {
		plain = plain && (isLetter(name[i]) || isDigit(name[i]))
	}
	if _, reserved := words[fold(name)]; plain && !reserved {
		p.add(name)
		return
	}
	writeQuoted(p, name, '\'')
}
