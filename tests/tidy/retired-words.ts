import ts from 'typescript'
import { kebabOf } from './name-findings.ts'
import { type Finding, placeOf, type Source } from './source.ts'

interface RetiredWord {
  /** Matches words of a name written `-as-kebab-case-`. */
  readonly word: RegExp
  /** The field's own term. */
  readonly instead: string
  /** Only in files whose path matches. Absent: everywhere. */
  readonly within?: RegExp
  /** Paths where the word names something else, e.g. a field that a provider calls so. */
  readonly except?: RegExp
  /** Only names of types. */
  readonly ofTypes?: true
}

const RELAY_SIDE =
  /^server\/(relay|dialects|provider-kit|providers|ledger|testing)\/|^tests\/(crash|faults|providers)\//
const SERVER_SIDE = /^(server|contract|features\/[^/]+\/(server|contract|migrations)|tests|bench)\b/

/** Words that this project once coined for things that the field has a name for. None may come back. */
export const retiredWords: readonly RetiredWord[] = [
  {
    word: /-(un)?answer(s|ed|ing)?-/,
    // Events of Dify hold their text in `answer`.
    except: /^server\/relay\/uploads\.test\.ts$/,
    instead: 'response, respond',
  },
  {
    // The order of hooks and of candidates is one of sorting.
    word: /(?<!-hook)-orders?-(?!candidates-)/,
    within: RELAY_SIDE,
    // Node's `lookup` takes an `order` of address families.
    except: /^server\/http-client\/safe-fetch\.ts$/,
    instead: 'relay request; sort for sorting',
  },
  { word: /-doors?-/, instead: 'client connection, boundary' },
  {
    word: /^-gateway-$/,
    ofTypes: true,
    within: SERVER_SIDE,
    instead: 'relay context, or the Deps of one stage',
  },
  { word: /-(trial|trials|tried)-/, within: SERVER_SIDE, instead: 'route plan, attempt' },
  { word: /-visit(s|ed|ing)?-/, within: RELAY_SIDE, instead: 'channel call' },
  { word: /-verdicts?-/, instead: 'retry decision' },
  {
    word: /-obstacles?-/,
    within: SERVER_SIDE,
    // Stored receipts and the route preview call the skip reason of a candidate `obstacle`.
    except:
      /^server\/relay\/(billing\/receipt|routing\/routing\.test)\.ts$|^features\/(logs|channels)\/(server\/view|contract\/(route-preview|log-detail))\.ts$/,
    instead: 'skip reason',
  },
  { word: /-(coverage|covers|covered)-/, within: SERVER_SIDE, instead: 'hold extender' },
  { word: /-holders?-/, within: SERVER_SIDE, instead: 'payer' },
  { word: /-(passage|passed)-(?!through-)/, within: SERVER_SIDE, instead: 'passthrough' },
  { word: /-wholes?-/, within: SERVER_SIDE, instead: 'json, not streamed' },
  { word: /-underway-|-under-way-/, instead: 'active' },
  { word: /-(resting|waking|rested|wakes|rests)-/, instead: 'cooldown' },
  { word: /-(silence|silent|unheard)-/, within: SERVER_SIDE, instead: 'stall, first byte' },
  { word: /-dead-/, within: SERVER_SIDE, instead: 'auto-disable, revoked' },
  { word: /-(seeing|seen)-/, within: SERVER_SIDE, instead: 'telemetry' },
  { word: /-watch(es|ed)?-/, within: RELAY_SIDE, instead: 'observer' },
  { word: /-wires?-/, within: SERVER_SIDE, instead: 'http1, native format' },
  { word: /-exchanges?-/, within: RELAY_SIDE, instead: 'operation adapter' },
  { word: /-egress-(?!allowed-)/, within: SERVER_SIDE, except: /^server\/config\//, instead: 'safe fetch' },
  {
    word: /-(kernel|wiring|farewell|patience|company)-/,
    instead: 'core, compose, shutdown, timeouts, batch',
  },
  { word: /-outside-/, within: SERVER_SIDE, instead: 'integrations' },
  {
    word: /-(party|parties)-/,
    // A log field keeps its name.
    except: /^server\/http-client\/provider-request\.ts$/,
    instead: 'identity, payment or captcha provider',
  },
  {
    word: /-letters?-/,
    within:
      /^(server\/(accounts|api|integrations|jobs|notifications)|features\/(account|sign-in|users)\/server)\//,
    instead: 'email template',
  },
  { word: /-remembered-|-rare-line-|-in-time-|-turn-away-/, instead: 'memoize, throttled log, with timeout' },
  // A field of the log lines of failed commits is called `movement`.
  {
    word: /-movements?-/,
    within: SERVER_SIDE,
    except: /^server\/ledger\/queue\.ts$/,
    instead: 'ledger command',
  },
  // A migration that has landed is never edited.
  {
    word: /-books-/,
    within: SERVER_SIDE,
    except: /^(server\/db|features\/[^/]+)\/migrations\//,
    instead: 'ledger deps, audit',
  },
  { word: /^-(live|entries)-$/, ofTypes: true, within: SERVER_SIDE, instead: 'cached value, ledger batch' },
  // The table of versions is called `topics`.
  {
    word: /-topics?-/,
    within: SERVER_SIDE,
    except: /^server\/db\/engine\/|^features\/sign-in\/server\/session\/session\.test\.ts$/,
    instead: 'version',
  },
  { word: /-(seal|seals|sealed|unseal|unsealed|sealing)-/, instead: 'encrypt, encrypted' },
  { word: /-(refuse|refuses|refused)-/, within: SERVER_SIDE, instead: 'apiError, errors, reject' },
  {
    word: /-refusals?-/,
    within: SERVER_SIDE,
    // OpenAI names the field of a message in which a model declines; the route preview has a field of that name, too.
    except:
      /^(server\/(provider-kit|dialects|lab\/openai)|tests\/providers)\/|^server\/relay\/operations\/chat\.ts$|^features\/channels\/(server\/view|contract\/route-preview)\.ts$/,
    instead: 'apiError, errors, reject',
  },
  { word: /-beside-/, within: SERVER_SIDE, instead: 'meta' },
  { word: /-(loosen|come-back|renew)-/, instead: 'unbind, callback, reset' },
  { word: /-(wish|wishes|wanted|asked|asking|said|told|begun)-/, instead: 'the noun of the thing' },
  { word: /^-(sent|known)-$/, ofTypes: true, instead: 'the noun of the thing' },
  { word: /-sounds?-/, within: SERVER_SIDE, instead: 'audio' },
  { word: /-pictures?-/, within: SERVER_SIDE, instead: 'image' },
  { word: /-stretch(es)?-/, instead: 'byte range; range or period' },
  {
    word: /-(lane|lanes|script|scripts|scripted)-|(?<!-fault)-plans?-/,
    within: /^server\/lab\//,
    // Fields of the lab's control API.
    except: /^server\/lab\/(control|open-lab\.test)\.ts$/,
    instead: 'namespace, scenario, fault plan',
  },
  { word: /-places?-/, within: /^console\//, instead: 'search params' },
  // Swapping faces is an action of the drawing API.
  { word: /-(standings?|(?<!swap-)faces?)-/, within: /^console\//, instead: 'status, badge' },
  {
    word: /-(hand|handed|handing)-in-|-newcomers?-|-just-begun-|-neighbours?-/,
    instead: 'submit, onboarding, previous-next',
  },
  {
    word: /-vendors?-/,
    // The catalogue's field for the provider of a model is called `vendor`.
    except:
      /^contract\/catalogue\/catalogue\.ts$|^scripts\/catalogue\/earlier-models\.ts$|^server\/pricing\/charge\.test\.ts$|^features\/price-updates\/server\/(feeds\/(litellm|models-dev)|price-updates\.test)\.ts$/,
    instead: 'provider',
  },
  { word: /^-over-/, within: /^console\//, instead: '…-sheet, …-dialog' },
]

/** Names of files and of what they declare that use a retired word. Names on the wire (`snake_case`) are data. */
export function retiredWordFindings(source: Source): readonly Finding[] {
  const words = retiredWords.filter(
    ({ within, except }) => within?.test(source.path) !== false && !except?.test(source.path),
  )
  return [...retiredInPath(source.path, words), ...retiredInNames(source, words)]
}

const retiredInPath = (path: string, words: readonly RetiredWord[]): readonly Finding[] => {
  const parts = path.replace(/\.\w+$/, '').split('/')
  return words
    .filter(
      ({ ofTypes, word }) => !ofTypes && parts.some(part => word.test(`-${part.replaceAll('.', '-')}-`)),
    )
    .map(({ instead }) => `${path} is named with a retired word: say ${instead}`)
}

function retiredInNames(source: Source, words: readonly RetiredWord[]): readonly Finding[] {
  const found: Finding[] = []
  const visit = (node: ts.Node): void => {
    const name = declaredName(node)
    const retired = name && retiredIn(name.text.replace('#', ''), isTypeName(node), words)
    if (name && retired)
      found.push(`${placeOf(source, name.getStart())} declares ${name.text}: say ${retired.instead}`)
    ts.forEachChild(node, visit)
  }
  visit(source.tree)
  return found
}

function retiredIn(name: string, isType: boolean, words: readonly RetiredWord[]): RetiredWord | undefined {
  const isDataName = name.includes('_') && name !== name.toUpperCase()
  if (isDataName) return undefined
  const kebab = `-${kebabOf(name).replaceAll('_', '-')}-`
  return words.find(({ word, ofTypes }) => (isType || !ofTypes) && word.test(kebab))
}

const isTypeName = (node: ts.Node): boolean =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)

/** The name that a node gives to something, if it does. An import or a use gives none. */
function declaredName(node: ts.Node): ts.Identifier | ts.PrivateIdentifier | undefined {
  const isDeclaration =
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isMethodSignature(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessor(node) ||
    ts.isTypeParameterDeclaration(node) ||
    isTypeName(node)
  if (!isDeclaration || !('name' in node)) return undefined
  const { name } = node
  return isNode(name) && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name : undefined
}

const isNode = (value: unknown): value is ts.Node =>
  typeof value === 'object' && value !== null && 'kind' in value
