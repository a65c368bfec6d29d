# SPDX-License-Identifier: GPL-2.0
"""What bench/run left: samples, the series of the plugin, goals."""
import json
import os
import statistics
import subprocess


# With more than this, "within the noise" would say nothing.
TOO_NOISY = 0.25


class Table:
    """One table: its statements, its samples, its series."""

    def __init__(self, name, folder, statements):
        self.name = name
        self.words = read_statements(statements)
        base = os.path.join(folder, name)
        self.run = dict(line.split(' ', 1) for line in lines(base + '.run'))
        self.missing = None
        self.samples = []
        for line in lines(base + '.raw'):
            self.add_sample(line)
        add_same_faults(self)
        self.latency = None
        if os.path.exists(base + '.latency.json'):
            with open(base + '.latency.json', encoding='utf-8') as file:
                self.latency = json.load(file)
            add_traffic(self)

    def one(self, word, otherwise=''):
        return self.words.get(word, [otherwise])[0]

    def ok(self):
        return self.run.get('status') == '0' and bool(self.samples)

    def add_sample(self, line):
        if not line.startswith('{'):  # of a script: CASE INSTRUCTIONS ...
            case, count, marked, faults = line.split()
            self.samples.append({'case': case, 'round': 1, 'values': {
                'instructions': int(count), 'numa_pte_updates': int(marked),
                'numa_hint_faults': int(faults)}})
            return
        sample = json.loads(line)
        if 'missing' in sample:
            self.missing = sample['missing']
            return
        sample['values'] = {**sample.pop('result'), **sample.pop('kernel')}
        self.samples.append(sample)

    def cases(self):
        return list(dict.fromkeys(s['case'] for s in self.samples))

    def values(self, case, metric):
        return [s['values'][metric] for s in self.samples
                if s['case'] == case and metric in s['values']]

    def median(self, case, metric):
        values = self.values(case, metric)
        return statistics.median(values) if values else None

    def ratio(self, metric, case, base):
        over, under = self.median(case, metric), self.median(base, metric)
        if over is None or not under:
            return None
        return over / under

    def noise(self, metric, base):
        """Spread of all samples of the baseline, which is run twice."""
        pairs = [pair.split() for pair in self.words.get('baseline', [])]
        pair = next((p for p in pairs if base in p), pairs[0] if pairs else [])
        values = [v for case in pair for v in self.values(case, metric)]
        if len(values) < 2 or not statistics.median(values):
            return None
        return (max(values) - min(values)) / statistics.median(values)


def add_same_faults(table):
    """A script's cases for the hint faults of "same_faults" WORK BASE.

    The kernel scans a task less whose scans take longer, so a case that costs
    more has fewer faults. What a fault costs is known: take as many as BASE has;
    WORK is the same work without any.
    """
    words = table.one('same_faults').split()
    if len(words) != 2:
        return
    work = table.median(words[0], 'instructions')
    faults = table.median(words[1], 'numa_hint_faults')
    if not work or not faults:
        return
    for values in (s['values'] for s in table.samples):
        if values['numa_hint_faults']:
            each = (values['instructions'] - work) / values['numa_hint_faults']
            values['instructions_per_fault'] = each
            values['instructions_same_faults'] = work + each * faults


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as file:
        return [line.rstrip('\n') for line in file if line.strip()]


def read_statements(path):
    words = {}
    for line in lines(path):
        if not line.startswith('#'):
            word, _, rest = line.partition('\t')
            words.setdefault(word, []).append(rest.strip())
    return words


def windows(latency):
    """Runs in order: (section, begin, end) in ms, of marks that belong together."""
    found = []
    open_section = None
    for event in latency['events']:
        if event['mark'] == 'begin':
            open_section = event['section']
            if not found or found[-1][0] != open_section:
                found.append([open_section, event['ms'], event['ms']])
        if event['mark'] in ('begin', 'end') and found:
            found[-1][2] = event['ms']
    return found


def section_series(latency, window):
    """Samples of the window: (ms, [per node [accesses, misses, ...]])."""
    section, begin, end = str(window[0]), window[1], window[2]
    return [(s['ms'], s[section]) for s in latency['series']
            if section in s and int(begin) <= s['ms'] <= end + 1]


def bytes_of(latency, node):
    return (node[1] + node[3]) * latency['line']


def at_share(series, latency, node_filter, share):
    """Bytes when a share of all accesses was done; what lies between is linear."""
    def total(nodes):
        return sum(n[0] for n in nodes)

    def amount(nodes):
        return sum(bytes_of(latency, n) for i, n in enumerate(nodes)
                   if node_filter(i))
    first, last = total(series[0][1]), total(series[-1][1])
    goal = first + share * (last - first)
    for (_, a), (_, b) in zip(series, series[1:]):
        if total(b) >= goal and total(b) > total(a):
            part = (goal - total(a)) / (total(b) - total(a))
            return amount(a) + part * (amount(b) - amount(a))
    return amount(series[-1][1])


def add_traffic(table):
    """Give each sample what the plugin saw of its run."""
    latency = table.latency
    with_cpu = {cpu['node'] for cpu in latency['cpus']}
    by_section = {}
    for window in windows(latency):
        by_section.setdefault(window[0], []).append(window)
    for sample in table.samples:
        runs = by_section.get(sample.get('section'), [])
        if sample['round'] > len(runs):
            continue
        sample['window'] = runs[sample['round'] - 1]
        series = section_series(latency, sample['window'])
        if len(series) < 2:
            continue
        for name, wanted in (('slow', False), ('dram', True)):
            def chosen(node, wanted=wanted):
                return (node in with_cpu) == wanted
            start, late, end = (at_share(series, latency, chosen, share)
                                for share in (0, 0.75, 1))
            sample['values'][name + '_bytes'] = end - start
            sample['values']['late_' + name + '_bytes'] = end - late
        sample['values']['stall_ms'] = sum(
            n[4] - m[4] for n, m in zip(series[-1][1], series[0][1])) / 1e6
        sample['values']['transfers'] = sum(
            n[2] - m[2] for n, m in zip(series[-1][1], series[0][1]))


def judge(table, text):
    """A goal's row: NAME|METRIC|CASE|BASE or -|LIMIT, noise or -|STOCK or -."""
    name, metric, case, base, limit, stock = text.split('|')
    row = {'table': table.name, 'goal': name, 'limit': limit, 'numab': None,
           'stock': None, 'noise': table.noise(metric, base), 'n': 0}
    if table.missing:
        return {**row, 'verdict': 'not there: ' + table.missing}
    if not table.ok():
        return {**row, 'verdict': 'did not run: see the log'}
    row['n'] = len(table.values(case, metric))
    row['numab'] = (table.median(case, metric) if base == '-'
                    else table.ratio(metric, case, base))
    if '/' in stock:
        over, under = stock.split('/')
        row['stock'] = table.ratio(metric, over, under)
    elif stock != '-':
        row['stock'] = table.median(stock, metric)
    return {**row, 'verdict': verdict(row)}


def verdict(row):
    if row['numab'] is None:
        return 'not measured'
    if row['limit'] == '-':
        return 'stated'
    if row['limit'] == 'noise':
        if row['noise'] is None:
            return 'not measured'
        if row['noise'] > TOO_NOISY:
            return 'too noisy to tell'
        return 'met' if abs(row['numab'] - 1) <= row['noise'] else 'missed'
    return 'met' if row['numab'] <= float(row['limit']) else 'missed'


def command(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True,
                              check=False).stdout.strip()
    except OSError:
        return ''


def machine():
    model = next((line.split(':', 1)[1].strip() for line in lines('/proc/cpuinfo')
                  if line.startswith('model name')), 'unknown')
    return {'processor': model, 'cpus': os.cpu_count(),
            'host_kernel': os.uname().release,
            'commit': command('git', 'describe', '--always', '--dirty'),
            'date': command('date', '+%Y-%m-%d %H:%M')}


def summary(table):
    metrics = dict.fromkeys(m for s in table.samples for m, v in s['values'].items()
                            if isinstance(v, (int, float)))
    result = {}
    for case in table.cases():
        result[case] = {}
        for metric in metrics:
            values = table.values(case, metric)
            if values:
                result[case][metric] = {
                    'median': statistics.median(values), 'min': min(values),
                    'max': max(values), 'n': len(values)}
    return result


def as_json(tables, goals):
    return {'emulated': True, 'machine': machine(), 'goals': goals,
            'tables': {t.name: {
                'title': t.one('title'), 'seed': t.one('seed'),
                'topology': t.one('topology'), 'latency': t.one('latency', None),
                'cases': t.words.get('case', []), 'missing': t.missing,
                'run': t.run, 'medians': summary(t),
                'samples': t.samples} for t in tables}}
