# SPDX-License-Identifier: GPL-2.0
"""Plots of a table as SVG text, by matplotlib."""
import io

import matplotlib
matplotlib.use('svg')
# pylint: disable=wrong-import-position
from matplotlib import pyplot  # noqa: E402

import results  # noqa: E402

COLOURS = ['#1b7f9c', '#e08214', '#b2182b', '#5e3c99']
MODE_COLOURS = {'stock 0': '#999999', 'stock 1': '#555555',
                'stock 2': '#333333', 'off': '#d0d0d0', 'inherit': '#7fbf7b',
                'normal': '#1b7f9c', 'tiering': '#e08214', 'both': '#5e3c99'}


def svg(figure):
    buffer = io.StringIO()
    figure.savefig(buffer, format='svg', bbox_inches='tight')
    pyplot.close(figure)
    text = buffer.getvalue()
    return text[text.index('<svg'):]


def first_sample(table, case):
    return next((s for s in table.samples
                 if s['case'] == case and 'window' in s), None)


def steps(table, sample):
    """Per interval: (seconds since the run began, length, deltas per node)."""
    series = results.section_series(table.latency, sample['window'])
    found = []
    for (t0, a), (t1, b) in zip(series, series[1:]):
        if t1 - t0 >= 50:
            found.append(((t1 - sample['window'][1]) / 1e3, (t1 - t0) / 1e3,
                          [[y - x for x, y in zip(m, n)] for m, n in zip(a, b)]))
    return found


def draw_share(axes, table, parts):
    nodes = len(parts[0][2])
    times = [p[0] for p in parts]
    total = [sum(n[1] + n[2] for n in p[2]) or 1 for p in parts]
    rows = [[100 * (p[2][node][1] + p[2][node][2]) / t
             for p, t in zip(parts, total)] for node in range(nodes)]
    axes.stackplot(times, rows, colors=COLOURS,
                   labels=[node_name(table, n) for n in range(nodes)])
    axes.set_ylim(0, 100)


def draw_bandwidth(axes, table, parts):
    scale = table.latency['scale'] or 1
    for node in range(len(parts[0][2])):
        rate = [results.bytes_of(table.latency, p[2][node]) / p[1] * scale / 1e9
                for p in parts]
        axes.plot([p[0] for p in parts], rate, color=COLOURS[node % 4],
                  label=node_name(table, node))
    axes.set_xlabel('s in the guest')
    axes.set_ylim(bottom=0)


def node_name(table, node):
    cpus = {cpu['node'] for cpu in table.latency['cpus']}
    return f'node {node}' + ('' if node in cpus else ' (slow)')


def over_time(table):
    """Share and bandwidth per node, a column for each case of "plot"."""
    cases = [(c, first_sample(table, c)) for c in table.one('plot').split()]
    cases = [(c, s, steps(table, s)) for c, s in cases if s]
    cases = [(c, s, p) for c, s, p in cases if p]
    if not cases:
        return ''
    figure, axes = pyplot.subplots(2, len(cases), squeeze=False, sharex='col',
                                   figsize=(4 * len(cases), 4.5))
    for column, (case, _, parts) in enumerate(cases):
        draw_share(axes[0][column], table, parts)
        draw_bandwidth(axes[1][column], table, parts)
        axes[0][column].set_title(case)
    axes[0][0].set_ylabel('% of accesses that\nreach memory')
    axes[1][0].set_ylabel('GB/s, modelled')
    top = max(a.get_ylim()[1] for a in axes[1])
    for a in axes[1]:
        a.set_ylim(0, top)
    axes[0][-1].legend(fontsize='small', loc='lower right')
    return svg(figure)


def mode_of(table, case):
    for line in table.words.get('case', []):
        name, module, sysctl, mode = line.split('|')[:4]
        if name == case:
            if module == 'no':
                return f'stock {sysctl}', f'stock, sysctl {sysctl}'
            mode = 'inherit' if mode == '-' else mode
            return mode, f'{mode}, sysctl {sysctl}'
    return 'stock', ''


def timeline(table):
    """When each case ran, and in which mode."""
    runs = [s for s in table.samples if 'window' in s]
    if not runs:
        return ''
    cases = table.cases()
    figure, axes = pyplot.subplots(figsize=(9, 0.4 + 0.3 * len(cases)))
    seen = set()
    for sample in runs:
        mode, text = mode_of(table, sample['case'])
        begin, end = sample['window'][1] / 1e3, sample['window'][2] / 1e3
        axes.broken_barh([(begin, end - begin)],
                         (cases.index(sample['case']) - 0.35, 0.7),
                         color=MODE_COLOURS.get(mode, '#000000'),
                         label=None if text in seen else text)
        seen.add(text)
    axes.set_yticks(range(len(cases)), cases)
    axes.invert_yaxis()
    axes.set_xlabel('s since the machine started')
    axes.legend(fontsize='small', bbox_to_anchor=(1.01, 1), loc='upper left')
    return svg(figure)


def samples(table):
    """Every sample of what the goals are about."""
    metrics = list(dict.fromkeys(g.split('|')[1]
                                 for g in table.words.get('goal', [])))
    metrics = [m for m in metrics
               if any(table.values(c, m) for c in table.cases())]
    if not metrics:
        return ''
    figure, axes = pyplot.subplots(1, len(metrics), squeeze=False, sharey=True,
                                   figsize=(3.2 * len(metrics),
                                            0.8 + 0.3 * len(table.cases())))
    for column, metric in enumerate(metrics):
        for row, case in enumerate(table.cases()):
            values = table.values(case, metric)
            axes[0][column].plot(values, [row] * len(values), 'o', alpha=0.5,
                                 color=COLOURS[0], markersize=5)
        axes[0][column].set_title(metric, fontsize='medium')
        axes[0][column].set_xlim(left=0)
        axes[0][column].grid(axis='x', alpha=0.3)
    axes[0][0].set_yticks(range(len(table.cases())), table.cases())
    axes[0][0].invert_yaxis()
    return svg(figure)
