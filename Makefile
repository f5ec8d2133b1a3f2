# Each target makes the environment that it needs by itself; `make` lists them.

VENV := .venv
VENV_NEXT := .venv-3.12
CODE := evennia_ai tests server world

# The launcher starts other programs of its environment by name.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

.PHONY: help demo play test scenarios all bench mutants lint ratchet docs release clean next browser chromium pictures

help:
	@echo "make demo    play a scene in the demo game, by itself, and print it"
	@echo "make play    start the demo game and say where to connect; with a model of yours:"
	@echo "             make play LLM=http://127.0.0.1:11434/v1 MODEL=llama3.1"
	@echo "make test    run the tests on Python 3.11 and, if there is one, 3.12 or newer"
	@echo "make scenarios  run the long ones: real servers, kills, many days, an installed wheel"
	@echo "make browser try the pages in Chromium, and keep pictures of them in build/pages"
	@echo "make pictures  make the pictures of docs/web.md anew, in Chromium"
	@echo "make all     run all of these at once"
	@echo "make bench   measure speed and load, and try properties on 300 examples each"
	@echo "make mutants SEED=7  break the code in 40 places, and see whether the tests notice"
	@echo "make lint    check style, types, docs/settings.md, and that the house did not grow"
	@echo "make ratchet take over the sizes of the house that fell"
	@echo "make docs    write docs/settings.md anew"
	@echo "make release build and check what is uploaded, and say what is left to a person"
	@echo "make clean   delete what make and the demo game wrote, environments included"

demo: $(VENV)/.installed
	@python -m tests.scenarios.demo

play: export DEMO_LLM := $(LLM)
play: export DEMO_MODEL := $(MODEL)
play: $(VENV)/.installed
	@evennia migrate --verbosity 0 </dev/null
	@EVENNIA_SUPERUSER_USERNAME=$${EVENNIA_SUPERUSER_USERNAME:-admin} \
	EVENNIA_SUPERUSER_PASSWORD=$${EVENNIA_SUPERUSER_PASSWORD:-admin} \
	evennia start </dev/null
	@echo
	@echo "The game runs, for this machine only: telnet localhost 4000, or http://localhost:4001"
	@echo "How the NPCs do: http://localhost:4001/ai/"
	@echo "The superuser is admin with the password admin. Ctrl-C stops the game."
	@trap 'evennia stop' EXIT; trap 'exit 0' INT TERM HUP; tail -n 0 -F server/logs/server.log

# Scenarios are tagged: what starts a server, plays days, or tries all that there is of something.
test: export SELECTION := --exclude-tag=scenario
scenarios: export SELECTION := --tag=scenario
browser: export SELECTION := --tag=browser
browser: export TESTS ?= tests.browser

browser: chromium
test scenarios all browser: $(VENV)/.installed next
	@.ci/test $(VENV) $$(test -e $(VENV_NEXT)/.installed && echo $(VENV_NEXT))

pictures: chromium $(VENV)/.installed
	@python -m tests.browser.pictures

chromium:
	@.ci/chromium

bench: $(VENV)/.installed
	@EXAMPLES=300 evennia test --settings test_settings \
	$$(grep -rl --include='test_*.py' '^from hypothesis import' tests | sed 's/\.py$$//; s,/,.,g')
	@python -m tests.benchmarks

mutants: $(VENV)/.installed
	@$(VENV)/bin/python -m pip install --quiet --editable '.[dev,mutants]'
	@python -m tests.house.mutants --seed $${SEED:-1} --count $${COUNT:-40}

lint: $(VENV)/.installed
	@ruff check $(CODE)
	@black --check --quiet $(CODE) || { black --check $(CODE); exit 1; }
	@isort --check-only $(CODE)
	@mypy
	@evennia ai_settings --settings test_settings --check docs/settings.md
	@python -m tests.house.ratchet

ratchet: $(VENV)/.installed
	@python -m tests.house.ratchet --lower

docs: $(VENV)/.installed
	@evennia ai_settings --settings test_settings --write docs/settings.md

release:
	@.ci/release

clean:
	rm -rf $(VENV) $(VENV_NEXT) .venv-release build dist *.egg-info .ruff_cache .hypothesis
	rm -rf server/evennia.db3* server/*.pid server/logs/*.log* server/.static server/.media
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

# The second environment, unless the first one is as new or there is no interpreter for it.
next: $(VENV)/.installed
	@if ! python -c 'import sys; sys.exit(sys.version_info < (3, 12))' \
	&& python=$$(.ci/find-python 3.12 3.13); then \
	    $(MAKE) --no-print-directory $(VENV_NEXT)/.installed NEXT_PYTHON=$$python; \
	fi

$(VENV)/.installed: setup.cfg pyproject.toml
	@test -x $(VENV)/bin/python || "$$(.ci/find-python 3.11 3.12 3.13 || echo python3)" -m venv $(VENV)
	@echo "Installing into $(VENV) …"
	@$(VENV)/bin/python -m pip install --quiet --editable '.[dev]'
	@touch $@

$(VENV_NEXT)/.installed: setup.cfg pyproject.toml
	@test -x $(VENV_NEXT)/bin/python || "$(NEXT_PYTHON)" -m venv $(VENV_NEXT)
	@echo "Installing into $(VENV_NEXT) …"
	@$(VENV_NEXT)/bin/python -m pip install --quiet --editable '.[dev]'
	@touch $@
