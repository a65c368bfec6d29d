# SPDX-License-Identifier: GPL-2.0
"""One HTML page that needs nothing else: no script, no network."""
from html import escape

import plots

STYLE = '''
body { font: 15px/1.45 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
td, th { border-bottom: 1px solid #ddd; padding: .25em .7em; text-align: right }
td:first-child, th:first-child, td.text { text-align: left }
.met { color: #1a7f37 } .missed { color: #b2182b; font-weight: bold }
svg { max-width: 100%; height: auto }
'''

INTRO = '''<p>All figures are <b>emulated</b>: a model of caches and latencies inside an
emulator, on a machine that has none of the hardware. They compare two ways of running one
program on one model; they do not say how fast anything is. Each round runs every case once, one
after the other, and the baseline twice; what is shown is the median, and the noise is the spread of
all samples of the baseline. Kernels scan at ten times their usual rate, in every case, for runs
are short. See docs/measuring.md.</p>'''


def number(value, digits=3):
    if value is None:
        return '-'
    if isinstance(value, int) or value >= 10000:
        return f'{value:,.0f}'
    return f'{value:.{digits}f}'


def html_row(cells, tag='td'):
    return '<tr>' + ''.join(f'<{tag}>{escape(str(c))}</{tag}>'
                            for c in cells) + '</tr>'


def medians(table):
    metrics = list(dict.fromkeys(g.split('|')[1]
                                 for g in table.words.get('goal', [])))
    out = ['<table>', html_row(['median (min - max)'] + metrics, 'th')]
    for case in table.cases():
        cells = [case]
        for metric in metrics:
            values = table.values(case, metric)
            cells.append(f'{number(table.median(case, metric))} '
                         f'({number(min(values))} - {number(max(values))})'
                         if values else '-')
        out.append(html_row(cells))
    return '\n'.join(out + ['</table>'])


def section(table):
    latency = table.one('latency')
    out = [f'<h2 id="{table.name}">{escape(table.one("title"))}</h2>',
           f'<p>Seed {escape(table.one("seed"))}. Kernel '
           f'{escape(table.run.get("kernel", "?"))}, topology '
           f'{escape(table.one("topology"))}, '
           + (f'plugin: {escape(latency)}' if latency else 'no plugin')
           + f'; took {escape(table.run.get("seconds", "?"))} s.</p>']
    if table.missing:
        return '\n'.join(out + [f'<p>Not run: this build of numab has not what '
                                f'<code>{escape(table.missing)}</code> asks for.</p>'])
    if not table.ok():
        return '\n'.join(out + [f'<p class="missed">Did not run: see '
                                f'{table.name}.log.</p>'])
    out.append(medians(table))
    out += [plots.samples(table)]
    if table.latency:
        out += [plots.over_time(table), plots.timeline(table)]
    out += [f'<p>{escape(note)}</p>' for note in table.words.get('note', [])]
    out.append('<details><summary>cases</summary><pre>'
               + escape('\n'.join(table.words.get('case', [])
                                  or table.words.get('script', [])))
               + '</pre></details>')
    return '\n'.join(out)


def limit_text(goal):
    if goal['limit'] == '-':
        return 'stated'
    if goal['limit'] == 'noise':
        return 'within the noise'
    return 'at most ' + goal['limit']


def goal_table(goals):
    head = ['table', 'goal', 'wanted', 'stock', 'numab', 'noise', 'n', '']
    out = ['<h2>Goals</h2><p>A ratio where the goal names two cases, else a '
           'count. The stock column is what the stock kernel gives for the '
           'same.</p><table>', html_row(head, 'th')]
    for goal in goals:
        kind = goal['verdict'] if goal['verdict'] in ('met', 'missed') else ''
        noise = goal['noise']
        cells = [goal['table'], goal['goal'], limit_text(goal),
                 number(goal['stock']), number(goal['numab']),
                 '-' if noise is None else f'{100 * noise:.1f} %', goal['n']]
        row = html_row(cells)[:-5]
        out.append(f'{row}<td class="text {kind}">{escape(goal["verdict"])}'
                   '</td></tr>')
    return '\n'.join(out + ['</table>'])


def page(tables, goals, machine):
    host = (f'{machine["processor"]}, {machine["cpus"]} CPUs, host kernel '
            f'{machine["host_kernel"]}; commit {machine["commit"]}; '
            f'{machine["date"]}')
    return '\n'.join([
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        f'<title>numab: stock against numab</title><style>{STYLE}</style>',
        '</head><body><h1>Stock against numab, emulated</h1>', INTRO,
        f'<p>{escape(host)}</p>']
        + [section(t) for t in tables] + [goal_table(goals), '</body></html>'])
