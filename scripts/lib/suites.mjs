import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { findBun } from './bun-binary.mjs'
import { filesBelow } from './fingerprint.mjs'
import { inProject } from './project.mjs'
import { readFileTimes, readReport } from './read-report.mjs'
import { RUNTIME_SETTINGS } from './run-bun.mjs'
import { runCaptured } from './run-captured.mjs'
import { startPostgres } from './start-postgres.mjs'

const REPORTS = inProject('test-results')
const SUITE_TIMEOUT_MS = 45 * 60 * 1000
/** A busy machine is several times slower: what is measured is measured by the tests themselves. */
const UNIT_TEST_TIMEOUT_MS = 20_000
const STORE_TEST_TIMEOUT_MS = 90_000
const WHOLE_TEST_TIMEOUT_MS = 240_000
/** For tests that compute: one for each processor of the machines that CI offers. */
const COMPUTING_PROCESSES = 2
/** For tests that wait for a browser, a gateway or a clock most of the time. */
const WAITING_PROCESSES = 4

/** Runs a program at a low priority, as do the programs that it starts. */
const LOW_PRIORITY = process.platform === 'win32' ? [] : ['nice', '-n', '10']

const UNIT_FOLDERS = ['contract', 'server', 'console', 'features', 'bench', 'scripts']
const STORE_FOLDERS = [
  'server/db',
  'server/ledger',
  'server/accounts',
  'server/http',
  'server/relay',
  'features',
  'tests/api',
]
/** `harness` holds no tests, `tidy` is part of the check, `agents` and `install` have commands of their own. */
const NOT_SUITES = ['agents', 'harness', 'install', 'tidy']
/** Call the program in the process of the tests, without a clock: both processors compute. */
const IN_PROCESS = ['api', 'providers']
/** Its pages are drawn by real browsers, which keep both processors busy. */
const BROWSER = 'e2e'
/** They start first, so that no process is left with one of them when the others have ended. */
const SLOW_FILES = ['tests/e2e/screens.test.ts', 'tests/e2e/channels.test.ts', 'tests/e2e/log.test.ts']
const SLOW_FILE_MS = 100_000
const USUAL_FILE_MS = 10_000
/** Wait for a server most of the time, without measuring it: browsers use what they leave of the processors. */
const WAITING = ['clients', 'docs', 'golden', 'integrations', 'tasks']
/** Wait for deadlines and restarts, which a busy machine delays, so they run beside each other only. */
const TIMED = { crash: WAITING_PROCESSES, faults: COMPUTING_PROCESSES }
/**
 * Seconds on a machine with two processors. `npm test` prints them beside those that a suite took, so that the change that
 * spends them is noticed.
 */
const BUDGET_SECONDS = {
  unit: 50,
  postgres: 75,
  api: 6,
  providers: 8,
  e2e: 330,
  clients: 70,
  faults: 90,
  golden: 15,
  integrations: 15,
  tasks: 15,
  crash: 120,
  commands: 40,
  docs: 40,
  load: 85,
  security: 20,
}

/**
 * Every suite, as stages. The stages run one after another; the tracks of a stage run side by side; the suites of a track
 * run one after another. A folder of `tests` is a suite: there is no other list. A folder that no stage names runs alone in
 * one process, as suites that measure time or memory must. The browsers run at a low priority beside the suites that wait:
 * they use the processors only while these do not.
 *
 * `only` and `without` choose suites by name; `shard`, such as `1/2`, runs that part of the browser tests: CI runs the suites on
 * several machines.
 */
export function suiteStages({ only, without = [], shard } = {}) {
  const isChosen = ({ name }) => (only?.includes(name) ?? true) && !without.includes(name)
  const stages = allStages(shard)
  rejectUnknown([...(only ?? []), ...without], stages.flat(2))
  return stages.map(tracks => tracks.map(suites => suites.filter(isChosen)))
}

function rejectUnknown(names, suites) {
  const known = suites.map(({ name }) => name)
  const unknown = names.find(name => !known.includes(name))
  if (unknown) throw new Error(`there is no suite ${unknown}; there are ${known.join(', ')}`)
}

function allStages(shard) {
  const folders = readdirSync(inProject('tests'), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !NOT_SUITES.includes(entry.name))
    .map(entry => entry.name)
    .sort()
  const isAlone = name => ![...IN_PROCESS, BROWSER, ...WAITING, ...Object.keys(TIMED)].includes(name)
  const unit = budgeted({
    name: 'unit',
    run: () =>
      runFolders('unit', UNIT_FOLDERS, {
        processes: COMPUTING_PROCESSES,
        isShared: true,
        timeoutMs: UNIT_TEST_TIMEOUT_MS,
      }),
  })
  const postgres = budgeted({ name: 'postgres', run: runOnPostgres })
  const inTwo = { processes: COMPUTING_PROCESSES }
  return [
    [[unit, postgres, ...IN_PROCESS.map(name => folderSuite(name, inTwo))]],
    [
      [folderSuite(BROWSER, { processes: WAITING_PROCESSES, isPatient: true, shard })],
      WAITING.map(name => folderSuite(name, inTwo)),
    ],
    Object.entries(TIMED).map(([name, processes]) => [folderSuite(name, { processes })]),
    [folders.filter(isAlone).map(name => folderSuite(name))],
  ]
}

/** A suite that is a folder of `tests`. */
const folderSuite = (name, options) =>
  budgeted({
    name,
    run: () => runFolders(name, [`tests/${name}`], { timeoutMs: WHOLE_TEST_TIMEOUT_MS, ...options }),
  })

const budgeted = suite => ({ ...suite, budgetSeconds: BUDGET_SECONDS[suite.name] })

/** The suites of a run that names files or folders: one for each name. */
export const pathSuites = (paths, isOnPostgres) =>
  paths.map(path => ({
    name: path,
    run: () => (isOnPostgres ? withPostgres(env => runNamed(path, env)) : runNamed(path)),
  }))

/** What a watching run runs: the named paths, else every folder with unit tests. */
export const unitPaths = paths => (paths.length > 0 ? paths : UNIT_FOLDERS).map(path => `./${path}`)

function runNamed(path, env) {
  if (!existsSync(inProject(path))) throw new Error(`there is no ${path}`)
  const name = path.replaceAll('/', '-')
  return runFolders(name, [path], { timeoutMs: WHOLE_TEST_TIMEOUT_MS, env })
}

/** The tests that store something, once more on a real PostgreSQL. */
const runOnPostgres = () =>
  withPostgres(env =>
    runFolders('postgres', STORE_FOLDERS, {
      env,
      processes: COMPUTING_PROCESSES,
      isShared: true,
      timeoutMs: STORE_TEST_TIMEOUT_MS,
    }),
  )

/** Runs tests with the server that TEST_DATABASE_URL names, or with one of our own. */
async function withPostgres(runTests) {
  const own = process.env.TEST_DATABASE_URL
  const server = own ? { url: own, stop: () => undefined } : await startPostgres({ isSmall: true })
  try {
    return await runTests({ TEST_DATABASE_URL: server.url })
  } finally {
    await server.stop()
  }
}

/**
 * Runs the tests below folders and counts them. A run that ends badly without a failed test counts as one. `isShared`:
 * parallel processes load the program once, not once more for each file, which is half of their work. `isPatient`: other
 * programs get the processors first.
 */
async function runFolders(
  name,
  folders,
  { env, timeoutMs, processes = 1, isShared = false, isPatient = false, shard } = {},
) {
  const report = inProject('test-results', `${name}.xml`)
  mkdirSync(REPORTS, { recursive: true })
  rmSync(report, { force: true })
  const held = folders.filter(holdsTests)
  if (held.length === 0)
    return { passed: 0, failed: 1, output: `no tests in ${folders.join(', ')}`, seconds: 0 }
  const args = [
    'test',
    '--no-orphans',
    ...held.map(path => (isTestFile(path) ? `./${path}` : `./${path}/`)),
    '--reporter=junit',
    `--reporter-outfile=${report}`,
  ]
  const options = [
    ...(timeoutMs ? [`--timeout=${timeoutMs}`] : []),
    ...(processes > 1 ? [`--parallel=${processes}`, `--timings=${writeTimings(name, held)}`] : []),
    ...(isShared ? ['--no-isolate'] : []),
    ...(shard ? [`--shard=${shard}`] : []),
  ]
  const [command, ...first] = [...(isPatient ? LOW_PRIORITY : []), findBun()]
  const { code, output, seconds } = await runCaptured(command, [...first, ...args, ...options], {
    env: { ...RUNTIME_SETTINGS, ...env },
    timeoutMs: SUITE_TIMEOUT_MS,
  })
  const { passed, failed } = readReport(report) ?? { passed: 0, failed: 0 }
  const isBroken = code !== 0 && failed === 0
  return { passed, failed: isBroken ? 1 : failed, output, seconds, files: readFileTimes(report) }
}

/** Tells Bun which files take long. It orders files by their times only when it knows most of them. */
function writeTimings(name, folders) {
  const file = inProject('test-results', `${name}.timings.json`)
  const tests = folders.flatMap(filesBelow).filter(isTestFile)
  const files = tests.map(path => [path, SLOW_FILES.includes(path) ? SLOW_FILE_MS : USUAL_FILE_MS])
  writeFileSync(file, JSON.stringify({ version: 1, files: Object.fromEntries(files) }))
  return file
}

const isTestFile = path => /\.test\.tsx?$/.test(path)

const holdsTests = path =>
  isTestFile(path) || (existsSync(inProject(path)) && filesBelow(path).some(isTestFile))
