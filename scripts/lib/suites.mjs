import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { buildConsole } from './build-console.mjs'
import { findBun } from './bun-binary.mjs'
import { filesBelow } from './fingerprint.mjs'
import { reaches } from './imports-of.mjs'
import { inProject } from './project.mjs'
import { readFileTimes, readReport } from './read-report.mjs'
import { runCaptured } from './run-captured.mjs'
import { runtimeSettings } from './runtime-settings.mjs'
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
/** Tests that store something are among these, and run once more on a real PostgreSQL. */
const STORE_FOLDERS = ['server', 'features', 'tests/api']
/**
 * No SQL is allowed in these folders, nor in features without tables and queries, and the SQL that they call is tested on
 * PostgreSQL beside it: so their own tests run on PostgreSQL in `npm run test:long` only, except for those of what every route
 * charges and of failing storage.
 */
const ABOVE_SQL = ['server/http/', 'server/http-client/', 'server/relay/']
const ABOUT_MONEY = [
  'billing/',
  'charges-every-route',
  'purchase-cost',
  'rejected-usage',
  'storage-failure',
  'tasks/',
].map(path => `server/relay/${path}`)
/** Every test that stores something opens its database here, itself or by a helper. */
const OPENS_DATABASE = 'server/db/testing.ts'
/** Gives the tests of components the globals of a browser, which no other test may have. */
const DOM = './console/testing/dom.ts'
/** Lets unit tests load modules of the console that find others by their folder. */
const GLOBS = './console/testing/vite-glob.ts'
/** `harness` holds no tests, `tidy` is part of the check, `agents` and `install` have commands of their own. */
const NOT_SUITES = ['agents', 'harness', 'install', 'tidy']
/** Call the program in the process of the tests, without a clock: both processors compute. */
const IN_PROCESS = ['api', 'providers']
/** Its pages are drawn by real browsers, which keep both processors busy. */
const BROWSER = 'e2e'
/** They start first, so that no process is left with one of them when the others have ended. */
const SLOW_FILES =
  /(e2e\/(channels|overlays|log|screens)|crash\/(points|stop|kill)|faults\/(postgres|rolling)|openid|thought-replay)\.test/
const SLOW_FILE_MS = 100_000
const USUAL_FILE_MS = 10_000
/** Wait for a server most of the time, without measuring it: browsers use what they leave of the processors. */
const WAITING = ['clients', 'docs', 'golden', 'integrations', 'limits', 'proxies', 'tasks']
/** Wait for deadlines and restarts, which a busy machine delays, so they run beside each other only. */
const TIMED = { crash: WAITING_PROCESSES, faults: 3 }
/**
 * Seconds on a machine with two processors. `npm test` prints them beside those that a suite took, so that the change that
 * spends them is noticed.
 */
const BUDGET_SECONDS = {
  unit: 150,
  components: 15,
  postgres: 200,
  api: 15,
  providers: 15,
  e2e: 330,
  clients: 70,
  faults: 90,
  golden: 15,
  integrations: 15,
  limits: 30,
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
 * they use the processors only while these do not. PostgreSQL runs beside the unit tests, which leave one processor idle.
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
  const shared = { processes: COMPUTING_PROCESSES, isShared: true, timeoutMs: UNIT_TEST_TIMEOUT_MS }
  const unit = budgeted('unit', () =>
    runFiles('unit', testsBelow(UNIT_FOLDERS).filter(isPlain), { ...shared, preload: GLOBS }),
  )
  const components = budgeted('components', () =>
    runFiles('components', testsBelow(UNIT_FOLDERS).filter(isComponentTest), { ...shared, preload: DOM }),
  )
  const postgres = budgeted('postgres', () => runOnPostgres('postgres', storeTests().filter(isNearSql)))
  const inTwo = { processes: COMPUTING_PROCESSES }
  return [
    [[unit, components, ...IN_PROCESS.map(name => folderSuite(name, inTwo))], [postgres]],
    [
      [folderSuite(BROWSER, { processes: WAITING_PROCESSES, isPatient: true, shard })],
      WAITING.map(name => folderSuite(name, inTwo)),
    ],
    Object.entries(TIMED).map(([name, processes]) => [folderSuite(name, { processes })]),
    [folders.filter(isAlone).map(name => folderSuite(name))],
  ]
}

/** With `TEST_LONG`, these kill more often, or amid more work. */
const REPEATED = ['kill', 'points', 'tasks'].map(name => `tests/crash/${name}.test.ts`)

/** What `npm run test:long` runs: every test that stores something, on PostgreSQL, and more kills. */
export const longSuites = () => [
  { name: 'postgres, all', run: () => runOnPostgres('postgres-all', storeTests()) },
  {
    name: 'crash, many kills',
    run: () => runNamed('crash-long', REPEATED, { env: { TEST_LONG: '1' } }),
  },
]

/** A suite that is a folder of `tests`. */
const folderSuite = (name, options) =>
  budgeted(name, () =>
    runFiles(name, testsBelow([`tests/${name}`]), { timeoutMs: WHOLE_TEST_TIMEOUT_MS, ...options }),
  )

const budgeted = (name, run) => ({ name, run, budgetSeconds: BUDGET_SECONDS[name] })

/** The suites of a run that names files or folders: one for each name, and one for its tests of components. */
export const pathSuites = (paths, isOnPostgres) =>
  paths.flatMap(path => {
    const tests = existsSync(inProject(path)) ? testsBelow([path]) : []
    const components = tests.filter(isComponentTest)
    const run = env => runNamed(path, tests.filter(isPlain), { env, preload: GLOBS })
    const plain = { name: path, run: () => (isOnPostgres ? withPostgres(run) : run()) }
    const inDom = {
      name: `${path}, components`,
      run: () => runNamed(`${path}-components`, components, { preload: DOM }),
    }
    if (components.length === 0) return [plain]
    return components.length === tests.length ? [inDom] : [plain, inDom]
  })

/** What a watching run runs: the named paths, else every folder with unit tests. */
export const unitPaths = paths => [
  ...(paths.length > 0 ? paths : UNIT_FOLDERS).map(path => `./${path}`),
  '--path-ignore-patterns=**/*.test.tsx',
  `--preload=${GLOBS}`,
]

const runNamed = (path, files, options) =>
  runFiles(path.replaceAll('/', '-'), files, { timeoutMs: WHOLE_TEST_TIMEOUT_MS, ...options })

const storeTests = () => testsBelow(STORE_FOLDERS).filter(path => reaches(path, OPENS_DATABASE))

const startsWithAny = (path, starts) => starts.some(start => path.startsWith(start))
const isNearSql = path =>
  (!startsWithAny(path, ABOVE_SQL) && !isOfFeatureWithoutSql(path)) || startsWithAny(path, ABOUT_MONEY)

/** The only places of a feature where SQL is allowed. */
const FEATURE_SQL = ['migrations', 'server/tables.ts', 'server/queries.ts', 'server/queries']

function isOfFeatureWithoutSql(path) {
  const [feature] = /^features\/[^/]+\//.exec(path) ?? []
  return feature !== undefined && !FEATURE_SQL.some(place => existsSync(inProject(feature + place)))
}

/** Runs tests that store something once more, on a real PostgreSQL. */
const runOnPostgres = (name, files) =>
  withPostgres(env =>
    runFiles(name, files, {
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
 * Runs files of tests and counts them. A run that ends badly without a failed test counts as one. `isShared`: parallel
 * processes load the program once, not once more for each file, which is half of their work. `isPatient`: other programs
 * get the processors first. `preload` is loaded before the tests.
 */
async function runFiles(
  name,
  files,
  { env, timeoutMs, processes = 1, isShared = false, isPatient = false, preload, shard } = {},
) {
  const report = inProject('test-results', `${name}.xml`)
  mkdirSync(REPORTS, { recursive: true })
  rmSync(report, { force: true })
  if (files.length === 0) return { passed: 0, failed: 1, output: `no tests for ${name}`, seconds: 0 }
  if (files.some(path => path.startsWith(`tests/${BROWSER}/`))) await buildConsole()
  const args = [
    'test',
    '--no-orphans',
    ...files.map(path => `./${path}`),
    '--reporter=junit',
    `--reporter-outfile=${report}`,
  ]
  const options = [
    ...(timeoutMs ? [`--timeout=${timeoutMs}`] : []),
    ...(processes > 1 ? [`--parallel=${processes}`, `--timings=${writeTimings(name, files)}`] : []),
    ...(isShared ? ['--no-isolate'] : []),
    ...(preload ? [`--preload=${preload}`] : []),
    ...(shard ? [`--shard=${shard}`] : []),
  ]
  const [command, ...first] = [...(isPatient ? LOW_PRIORITY : []), findBun()]
  const { code, output, seconds } = await runCaptured(command, [...first, ...args, ...options], {
    env: { ...runtimeSettings(), ...env },
    timeoutMs: SUITE_TIMEOUT_MS,
  })
  const { passed, failed } = readReport(report) ?? { passed: 0, failed: 0 }
  const isBroken = code !== 0 && failed === 0
  return { passed, failed: isBroken ? 1 : failed, output, seconds, files: readFileTimes(report) }
}

/** Tells Bun which files take long. It orders files by their times only when it knows most of them. */
function writeTimings(name, files) {
  const report = inProject('test-results', `${name}.timings.json`)
  const times = files.map(path => [path, SLOW_FILES.test(path) ? SLOW_FILE_MS : USUAL_FILE_MS])
  writeFileSync(report, JSON.stringify({ version: 1, files: Object.fromEntries(times) }))
  return report
}

const testsBelow = paths => paths.flatMap(filesBelow).filter(path => /\.test\.tsx?$/.test(path))

const isComponentTest = path => path.endsWith('.tsx')
const isPlain = path => !isComponentTest(path)
