package elasticpool

// over returns why the pool does nothing any more, or nil.
func (p *Pool) over() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

// leads returns an error if this pool must not act any more.
func (p *Pool) leads() error {
	if err := p.over(); err != nil {
		return err
	}
	if p.leader == nil {
		return nil
	}
	err := p.leader.Check()
	if err != nil {
		p.lose(err)
	}
	return err
}

// lose ends all that the pool does.
func (p *Pool) lose(err error) {
	p.options.logger.Error("the pool stops", "error", err)
	p.mu.Lock()
	if p.lost == nil {
		p.lost = err
	}
	p.mu.Unlock()
	p.stopOpening()
	p.stopActing()
}
