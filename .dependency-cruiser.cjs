/**
 * The arrows of ARCHITECTURE.md: who may import whom. A room lists what it may see; everything else is refused.
 * `own` adds the folder that the importing file stands in, for rooms made of folders that must not see each other.
 */
const CORE = '^server/core/'
const CONTRACT = '^contract/'
/** Stored numbers, which the database and the API share. */
const ENUMS = '^contract/enums[.]ts$'
/** The bundled models, which are too many for browsers. */
const CATALOGUE = '^contract/catalogue/'
const DB = '^server/db/'
const LEDGER = '^server/ledger/'
const PROVIDER_KIT = '^server/provider-kit/'
const REGISTRY = '^server/providers/registry[.]ts$'
const DIALECTS = '^server/dialects/'
const RELAY = '^server/relay/'
/** The two doors to the outside that others than the relay may use. */
const SEND = '^server/relay/upstream/(send|read-response|safe-fetch)[.]ts$'
const INTEGRATIONS = '^server/integrations/'
const HTTP = '^server/http/'
/** Tests, and what several of them share. */
const TEST = '([.]test[.]tsx?$|/testing([.]ts$|/))'

/** Room: its files, and the project's files that they may import. `$1` is the folder captured by `from`. */
const rooms = [
  { name: 'contract', from: '^contract/', may: [CONTRACT] },
  { name: 'core', from: CORE, may: [CORE] },
  { name: 'db', from: DB, may: [CORE, ENUMS, DB] },
  { name: 'ledger', from: LEDGER, may: [CORE, ENUMS, CATALOGUE, DB, LEDGER] },
  { name: 'provider-kit', from: PROVIDER_KIT, may: [CORE, PROVIDER_KIT] },
  {
    name: 'provider',
    from: '^server/providers/([^/]+)/',
    may: [CORE, PROVIDER_KIT, '^server/providers/$1/'],
  },
  { name: 'registry', from: REGISTRY, may: [CORE, PROVIDER_KIT] },
  { name: 'dialect', from: '^server/dialects/([^/]+)/', may: [CORE, PROVIDER_KIT, '^server/dialects/$1/'] },
  { name: 'relay', from: RELAY, may: [CORE, ENUMS, DB, LEDGER, PROVIDER_KIT, REGISTRY, DIALECTS, RELAY] },
  {
    name: 'api',
    from: '^server/api/([^/]+)/',
    may: [
      CORE,
      CONTRACT,
      DB,
      LEDGER,
      PROVIDER_KIT,
      REGISTRY,
      SEND,
      INTEGRATIONS,
      '^server/api/$1/',
      '^server/api/[^/]+[.]ts$',
    ],
  },
  {
    name: 'api-shared',
    from: '^server/api/[^/]+[.]ts$',
    may: [CORE, CONTRACT, DB, LEDGER, PROVIDER_KIT, REGISTRY, SEND, INTEGRATIONS, '^server/api/[^/]+[.]ts$'],
  },
  {
    name: 'job',
    from: '^server/jobs/',
    may: [CORE, CONTRACT, DB, LEDGER, PROVIDER_KIT, REGISTRY, SEND, INTEGRATIONS],
  },
  {
    name: 'import',
    from: '^server/import/',
    may: [CORE, CONTRACT, DB, LEDGER, REGISTRY, '^server/import/[^/]+[.]ts$', '^server/import/sources/'],
  },
  { name: 'integrations', from: INTEGRATIONS, may: [CORE, SEND, INTEGRATIONS] },
  { name: 'lab', from: '^server/lab/', may: [CORE, '^server/lab/'] },
  { name: 'http', from: HTTP, may: [CORE, CONTRACT, DB, LEDGER, '^server/api/', DIALECTS, RELAY, HTTP] },
  {
    name: 'screen',
    from: '^console/screens/([^/]+)/',
    may: [CONTRACT, '^console/(app|ui)/', '^console/screens/$1/'],
  },
  { name: 'console-ui', from: '^console/ui/', may: ['^console/ui/'] },
  { name: 'console-app', from: '^console/app/', may: [CONTRACT, '^console/(app|ui)/'] },
  { name: 'console', from: '^console/', may: [CONTRACT, '^console/'] },
]

/** Outside packages that only one room knows. */
const packages = [
  { name: 'mail', only: INTEGRATIONS, packages: '(^|/)node_modules/nodemailer/' },
  { name: 'framework', only: HTTP, packages: '(^|/)node_modules/hono/' },
  {
    name: 'sql',
    only: DB,
    packages: '(^bun:sqlite$|(^|/)node_modules/kysely/)',
  },
]

const arrow = ({ name, from, may }) => ({
  name: `arrow-${name}`,
  severity: 'error',
  comment: `what ${from} may see of the project is said in .dependency-cruiser.cjs`,
  from: { path: from, pathNot: TEST },
  to: { path: '^(contract|server|console|tests|bench|scripts)/', pathNot: may },
})

const onlyRoom = ({ name, only, packages: path }) => ({
  name: `only-room-${name}`,
  severity: 'error',
  from: { path: '^(contract|server|console|bench)/', pathNot: [only, TEST] },
  to: { path },
})

module.exports = {
  forbidden: [
    ...rooms.map(arrow),
    ...packages.map(onlyRoom),
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-sideways-test',
      comment:
        'a test may use more of the house than its subject, but not another provider, resource or screen',
      severity: 'error',
      from: { path: '^(server/providers|server/api|console/screens)/([^/]+)/.*[.]test[.]tsx?$' },
      to: { path: '^$1/[^/]+/', pathNot: '^$1/$2/' },
    },
    {
      name: 'contract-knows-zod-only',
      severity: 'error',
      from: { path: CONTRACT, pathNot: TEST },
      to: { path: '((^|/)node_modules/|^bun(:|$))', pathNot: '(^|/)node_modules/zod/' },
    },
    {
      name: 'runs-in-browsers',
      comment: 'the console runs in browsers, and the contract with it',
      severity: 'error',
      from: { path: '^(console|contract)/', pathNot: TEST },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'not-the-catalogue-to-browsers',
      severity: 'error',
      from: { path: '^(console|contract)/' },
      to: { path: `${CATALOGUE}models[.]json$` },
    },
    {
      name: 'opens-connections',
      comment: 'only send.ts, and the egress function behind it, opens connections',
      severity: 'error',
      from: {
        path: '^server/',
        pathNot: [TEST, '^server/relay/upstream/(send|safe-fetch)[.]ts$', '^server/lab/', '^server/cli/'],
      },
      to: { dependencyTypes: ['core'], path: '^(node:)?(http|https|http2|net|tls|dgram)$' },
    },
    {
      name: 'not-to-console',
      comment: 'nothing but the console itself imports the console',
      severity: 'error',
      from: { path: '^(contract|server|bench|scripts)/' },
      to: { path: '^console/' },
    },
    {
      name: 'not-to-tests',
      severity: 'error',
      from: { path: '^(contract|server|console|scripts)/', pathNot: TEST },
      to: { path: ['^tests/', '/testing([.]ts$|/)'] },
    },
    {
      name: 'server-without-dev-dependencies',
      severity: 'error',
      from: { path: '^(server|contract)/', pathNot: TEST },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^bun(:|$)' },
    },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      from: { path: '^(contract|server|console|tests|bench)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^dist/|/fixtures/)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
}
