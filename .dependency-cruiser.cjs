/**
 * The arrows of ARCHITECTURE.md: who may import whom. A room lists what it may see; everything else is refused.
 * `own` adds the folder that the importing file stands in, for rooms made of folders that must not see each other.
 */
const CORE = '^server/core/'
const CONTRACT = '^contract/'
/** The contracts of features are public: the console may call every endpoint, as any client may. */
const FEATURE_CONTRACTS = '^features/[^/]+/contract([.]ts$|/)'
/** A feature's own tables, migrations and queries. */
const FEATURE_SQL = '^features/[^/]+/(migrations/|server/(tables|queries)([.]ts$|/))'
/** Stored numbers, which the database and the API share. */
const ENUMS = '^contract/enums[.]ts$'
/** The fields of users, tokens and channels, which their tables repeat. */
const ENTITIES = '^contract/entities/'
/** The bundled models, which are too many for browsers. */
const CATALOGUE = '^contract/catalogue/'
/** What administrators set while the program runs, which the relay reads by the names that they see. */
const OPTIONS = '^contract/options/'
const DB = '^server/db/'
const LEDGER = '^server/ledger/'
const PRICING = '^server/pricing/'
const PROVIDER_KIT = '^server/provider-kit/'
const REGISTRY = '^server/providers/registry[.]ts$'
const DIALECTS = '^server/dialects/'
const HTTP_CLIENT = '^server/http-client/'
const RELAY = '^server/relay/'
const ACCOUNTS = '^server/accounts/'
const API = '^server/api/'
const NOTIFICATIONS = '^server/notifications/'
const INTEGRATIONS = '^server/integrations/'
const SETTINGS = '^server/settings/'
const HTTP = '^server/http/'
/** Tests, and what several of them share. */
const TEST = '([.]test[.]tsx?$|/testing([.]ts$|/))'

const MONEY = [CORE, CONTRACT, DB, LEDGER, PRICING]
const PROVIDERS = [PROVIDER_KIT, REGISTRY]
const OUTSIDE = [HTTP_CLIENT, INTEGRATIONS, NOTIFICATIONS]

/** Room: its files, and the project's files that they may import. `$1` is the folder captured by `from`. */
const rooms = [
  { name: 'contract', from: CONTRACT, may: [CONTRACT] },
  { name: 'core', from: CORE, may: [CORE] },
  { name: 'db', from: DB, may: [CORE, ENUMS, ENTITIES, DB] },
  { name: 'pricing', from: PRICING, may: [CORE, CONTRACT, DB, PRICING] },
  { name: 'ledger', from: LEDGER, may: [CORE, ENUMS, CATALOGUE, DB, PRICING, LEDGER] },
  { name: 'provider-kit', from: PROVIDER_KIT, may: [CORE, PROVIDER_KIT] },
  {
    name: 'provider',
    from: '^server/providers/([^/]+)/',
    may: [CORE, PROVIDER_KIT, '^server/providers/$1/'],
  },
  { name: 'registry', from: REGISTRY, may: [CORE, PROVIDER_KIT] },
  { name: 'dialect', from: '^server/dialects/([^/]+)/', may: [CORE, PROVIDER_KIT, '^server/dialects/$1/'] },
  { name: 'http-client', from: HTTP_CLIENT, may: [CORE, PROVIDER_KIT, HTTP_CLIENT] },
  {
    name: 'relay',
    from: RELAY,
    may: [CORE, ENUMS, OPTIONS, DB, LEDGER, PRICING, ...PROVIDERS, DIALECTS, HTTP_CLIENT, RELAY],
  },
  { name: 'integrations', from: INTEGRATIONS, may: [CORE, HTTP_CLIENT, INTEGRATIONS] },
  { name: 'notifications', from: NOTIFICATIONS, may: [...MONEY, HTTP_CLIENT, INTEGRATIONS, NOTIFICATIONS] },
  { name: 'settings', from: SETTINGS, may: [...MONEY, ...PROVIDERS, SETTINGS] },
  { name: 'accounts', from: ACCOUNTS, may: [...MONEY, ...OUTSIDE, API, SETTINGS, ACCOUNTS] },
  { name: 'api', from: API, may: [...MONEY, ...PROVIDERS, ...OUTSIDE, SETTINGS, API] },
  { name: 'job', from: '^server/jobs/', may: [...MONEY, ...PROVIDERS, ...OUTSIDE] },
  // It rejects what providers reject, by the same rules.
  {
    name: 'lab',
    from: '^server/lab/',
    may: [
      CORE,
      '^server/provider-kit/(rules/|[^/]+/rules[.]ts$)',
      '^server/pricing/catalogue[.]ts$',
      '^server/lab/',
    ],
  },
  { name: 'http', from: HTTP, may: [...MONEY, API, DIALECTS, SETTINGS, HTTP_CLIENT, RELAY, HTTP] },
  {
    name: 'feature-contract',
    from: '^features/([^/]+)/(contract([.]ts$|/)|options[.]ts$)',
    may: [CONTRACT, '^features/$1/contract([.]ts$|/)'],
  },
  {
    name: 'feature-server',
    from: '^features/([^/]+)/(server|migrations)/',
    may: [
      ...MONEY,
      ...PROVIDERS,
      ...OUTSIDE,
      ACCOUNTS,
      API,
      DIALECTS,
      SETTINGS,
      '^server/(feature|program)[.]ts$',
      '^server/relay/(?!pipeline|response/|billing/)',
      '^server/(config|cli)/',
      '^features/$1/',
    ],
  },
  {
    name: 'feature-console',
    from: '^features/([^/]+)/console/',
    may: [CONTRACT, FEATURE_CONTRACTS, '^console/(app|ui)/', '^features/$1/console/'],
  },
  { name: 'console-ui', from: '^console/ui/', may: ['^console/ui/'] },
  {
    name: 'console-app',
    from: '^console/app/',
    may: [CONTRACT, FEATURE_CONTRACTS, '^console/(app|ui)/', '^features/[^/]+/console/.*index[.]tsx$'],
  },
  { name: 'console', from: '^console/(kit/|main[.]tsx$)', may: [CONTRACT, '^console/'] },
]

/** The stages of the relay: each imports only those before it. */
const relayStages = [
  'types',
  'request',
  'routing',
  'admission',
  'hooks',
  'hook-order',
  'compose-hooks',
  'telemetry',
  'upstream',
  'billing',
  'response',
  'relay-context',
  'operation',
  'operations',
  'routes',
  'tasks',
  'relay-services',
  'pipeline',
]

const inStages = stages => `^server/relay/(${stages.join('|')})([.]ts$|/)`

const relayOrder = (stage, index) => ({
  name: `relay-order-${stage}`,
  severity: 'error',
  comment: 'a stage of the relay imports only the stages before it',
  from: { path: inStages([stage]), pathNot: TEST },
  // A connection is part of every call, and imports nothing.
  to: {
    path: inStages(relayStages.slice(index + 1)),
    pathNot: '^server/relay/request/client-connection[.]ts$',
  },
})

/** Outside packages that only one room knows. */
const packages = [
  { name: 'mail', only: NOTIFICATIONS, packages: '(^|/)node_modules/nodemailer/' },
  { name: 'framework', only: HTTP, packages: '(^|/)node_modules/hono/' },
  {
    name: 'sql',
    only: [DB, FEATURE_SQL],
    packages: '(^bun:sqlite$|(^|/)node_modules/kysely/)',
  },
]

const arrow = ({ name, from, may }) => ({
  name: `arrow-${name}`,
  severity: 'error',
  comment: `what ${from} may see of the project is said in .dependency-cruiser.cjs`,
  from: { path: from, pathNot: TEST },
  to: { path: '^(contract|server|console|features|tests|bench|scripts)/', pathNot: may },
})

const onlyRoom = ({ name, only, packages: path }) => ({
  name: `only-room-${name}`,
  severity: 'error',
  from: { path: '^(contract|server|console|features|bench)/', pathNot: [only, TEST].flat() },
  to: { path },
})

module.exports = {
  forbidden: [
    ...rooms.map(arrow),
    ...packages.map(onlyRoom),
    ...relayStages.slice(0, -1).map(relayOrder),
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-sideways-test',
      comment: 'a test may use more of the house than its subject, but not another provider or feature',
      severity: 'error',
      from: { path: '^(server/providers|features)/([^/]+)/.*[.]test[.]tsx?$' },
      to: { path: '^$1/[^/]+/', pathNot: ['^$1/$2/', FEATURE_CONTRACTS] },
    },
    {
      name: 'base-not-to-features',
      comment:
        'the program finds features by their folder and names none; they join as server/feature.ts says',
      severity: 'error',
      from: { path: '^(contract|server)/', pathNot: TEST },
      to: { path: '^features/' },
    },
    {
      name: 'contract-knows-zod-only',
      severity: 'error',
      from: { path: [CONTRACT, FEATURE_CONTRACTS], pathNot: TEST },
      to: { path: '((^|/)node_modules/|^bun(:|$))', pathNot: '(^|/)node_modules/zod/' },
    },
    {
      name: 'runs-in-browsers',
      comment: 'the console runs in browsers, and the contract with it',
      severity: 'error',
      from: { path: ['^(console|contract)/', '^features/[^/]+/(console/|contract)'], pathNot: TEST },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'not-the-catalogue-to-browsers',
      severity: 'error',
      from: { path: ['^(console|contract)/', '^features/[^/]+/(console/|contract)'] },
      to: { path: `${CATALOGUE}models[.]json$` },
    },
    {
      name: 'opens-connections',
      comment: 'only send.ts, and the egress function behind it, opens connections',
      severity: 'error',
      from: {
        path: '^(server/|features/[^/]+/server/)',
        pathNot: [
          TEST,
          '^server/http-client/',
          '^server/lab/',
          '^(server|features/[^/]+/server)/cli/',
          '^features/doctor/',
        ],
      },
      to: { dependencyTypes: ['core'], path: '^(node:)?(http|https|http2|net|tls|dgram)$' },
    },
    {
      name: 'not-to-console',
      comment: 'nothing but the console itself imports the console',
      severity: 'error',
      from: { path: ['^(contract|server|bench|scripts)/', '^features/[^/]+/(server|migrations|contract)'] },
      to: { path: ['^console/', '^features/[^/]+/console/'] },
    },
    {
      name: 'not-to-tests',
      severity: 'error',
      from: { path: '^(contract|server|console|features|scripts)/', pathNot: TEST },
      to: { path: ['^tests/', '/testing([.]ts$|/)'] },
    },
    {
      name: 'server-without-dev-dependencies',
      severity: 'error',
      from: { path: ['^(server|contract)/', '^features/[^/]+/(server|migrations|contract)'], pathNot: TEST },
      // Files of Swagger UI are for browsers, and embedded like the console.
      to: { dependencyTypes: ['npm-dev'], pathNot: 'swagger-ui-dist' },
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
      from: { path: '^(contract|server|console|features|tests|bench)/' },
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
