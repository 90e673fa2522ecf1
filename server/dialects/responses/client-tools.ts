import { z } from 'zod'
import { readPositive } from '../../provider-kit/hosted-tools.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitNullish,
  parseJson,
} from '../../provider-kit/json.ts'
import { readTextArguments } from '../../provider-kit/rules/chat-rules.ts'
import {
  integerParameter,
  listParameter,
  objectParameters,
  oneOfParameter,
  textParameter,
} from '../../provider-kit/rules/object-schema.ts'

/** A tool of the API that the client executes, as a function, which every provider has. */
interface ToolForm {
  readonly callType: string
  readonly outputType: string
  readonly idPrefix: string
  /** The fields of a call that hold the arguments of the function. Models other than OpenAI's may write anything. */
  toCallFields(text: string): JsonObject
}

/** A form whose items are converted. */
interface ForeignForm extends ToolForm {
  /** The fields of a call that are read. */
  readonly call: z.ZodType
  readonly output: z.ZodType
  toArguments(call: JsonObject): unknown
  /** The output as the content of a function's result; by default as it is. `namesOf` lists the functions of tools. */
  toOutput?(output: JsonObject, namesOf: (tools: unknown) => readonly string[]): unknown
}

/** A tool that OpenAI's models know by its type. Other models must be told. */
interface KnownTool extends ForeignForm {
  readonly name: string
  describe(tool: JsonObject): string
  parameters(tool: JsonObject): JsonObject
}

const callOf = (fields: z.ZodRawShape) => z.looseObject({ call_id: z.string(), ...fields })
const OutputOf = z.looseObject({ call_id: z.string() })

const readArguments = (text: string): JsonObject => asObject(parseJson(text))
const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
const textsIn = (value: unknown): readonly string[] =>
  readList(value).filter(entry => typeof entry === 'string')

const TIMEOUT = integerParameter('After how many milliseconds a command is stopped.')

const shell: KnownTool = {
  callType: 'shell_call',
  outputType: 'shell_call_output',
  idPrefix: 'sh',
  name: 'shell',
  describe: () =>
    "Runs commands in a shell on the user's machine. Commands of one call may run side by side.",
  parameters: () =>
    objectParameters(
      {
        commands: listParameter({ type: 'string' }, 'The commands.'),
        timeout_ms: TIMEOUT,
        max_output_length: integerParameter('How many characters of the output are returned.'),
      },
      ['commands'],
    ),
  call: callOf({ action: z.looseObject({ commands: z.array(z.string()) }) }),
  output: OutputOf.extend({ output: z.union([z.string(), z.array(z.looseObject({}))]) }),
  toArguments: ({ action }) => omitNullish(asObject(action)),
  toOutput: ({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)),
  toCallFields(text) {
    const { commands, timeout_ms, max_output_length } = readArguments(text)
    return {
      action: {
        commands: textsIn(commands),
        timeout_ms: readPositive(timeout_ms) ?? null,
        max_output_length: readPositive(max_output_length) ?? null,
      },
      environment: { type: 'local' },
    }
  },
}

const localShell: KnownTool = {
  callType: 'local_shell_call',
  outputType: 'local_shell_call_output',
  idPrefix: 'lsh',
  name: 'local_shell',
  describe: () => "Runs one command on the user's machine.",
  parameters: () =>
    objectParameters(
      {
        command: listParameter({ type: 'string' }, 'The program and its arguments.'),
        working_directory: textParameter('Where it runs.'),
        timeout_ms: TIMEOUT,
      },
      ['command'],
    ),
  call: callOf({ action: z.looseObject({ command: z.array(z.string()) }) }),
  // The API calls the id of the call `id` here.
  output: z.looseObject({ id: z.string().optional(), output: z.string() }),
  toArguments({ action }) {
    const { type: _, ...fields } = omitNullish(asObject(action))
    return fields
  },
  toCallFields(text) {
    const { command, working_directory, timeout_ms } = readArguments(text)
    return {
      action: {
        type: 'exec',
        command: textsIn(command),
        env: {},
        ...omitNullish({
          working_directory: asString(working_directory),
          timeout_ms: readPositive(timeout_ms),
        }),
      },
    }
  },
}

const PATCHES = ['create_file', 'update_file', 'delete_file']

const applyPatch: KnownTool = {
  callType: 'apply_patch_call',
  outputType: 'apply_patch_call_output',
  idPrefix: 'apc',
  name: 'apply_patch',
  describe: () => 'Creates, changes or deletes one file.',
  parameters: () =>
    objectParameters(
      {
        type: oneOfParameter(PATCHES),
        path: textParameter('The file.'),
        diff: textParameter(
          'For create_file: all lines of the file, each with + before it. For update_file: for each change a line "@@", then some unchanged lines with a space before each, removed lines with - and added lines with +. No line numbers and no file names.',
        ),
      },
      ['type', 'path'],
    ),
  call: callOf({ operation: z.looseObject({ type: z.string(), path: z.string() }) }),
  output: OutputOf.extend({ status: z.string().nullish(), output: z.string().nullish() }),
  toArguments: ({ operation }) => operation,
  toOutput: ({ status, output }) => [status, output].filter(Boolean).join(': '),
  toCallFields(text) {
    const json = readArguments(text)
    const { type, path, diff } = isObject(json.operation) ? json.operation : json
    const kind = asString(type) ?? ''
    return {
      operation: {
        type: PATCHES.includes(kind) ? kind : 'update_file',
        path: asString(path) ?? '',
        ...(kind !== 'delete_file' && { diff: asString(diff) ?? '' }),
      },
    }
  },
}

const ACTIONS = ['click', 'double_click', 'drag', 'keypress', 'move', 'screenshot', 'scroll', 'type', 'wait']
const NUMBERS_OF_ACTIONS = ['x', 'y', 'scroll_x', 'scroll_y']
const ACTION = objectParameters(
  {
    type: oneOfParameter(ACTIONS),
    ...Object.fromEntries(NUMBERS_OF_ACTIONS.map(name => [name, integerParameter('Pixels.')])),
    button: oneOfParameter(['left', 'right', 'wheel', 'back', 'forward']),
    keys: listParameter({ type: 'string' }, 'The keys to press, or to hold.'),
    text: textParameter('The text to type.'),
    path: listParameter(
      objectParameters({ x: { type: 'integer' }, y: { type: 'integer' } }, ['x', 'y']),
      'The way of a drag.',
    ),
  },
  ['type'],
)

const isAction = (value: unknown): value is JsonObject => ACTIONS.includes(String(asObject(value).type))

/** A screenshot is what a call without any action can mean. */
function readActions(text: string): readonly JsonObject[] {
  const json = readArguments(text)
  const actions = readList(json.actions ?? json.action ?? json).filter(isAction)
  return actions.length > 0 ? actions : [{ type: 'screenshot' }]
}

const computer: KnownTool = {
  callType: 'computer_call',
  outputType: 'computer_call_output',
  idPrefix: 'cu',
  name: 'computer',
  describe({ display_width: width, display_height: height }) {
    const size = width && height ? ` The screen is ${width} pixels wide and ${height} high.` : ''
    return `Uses a screen with mouse and keyboard, and returns a screenshot.${size}`
  },
  parameters: () =>
    objectParameters({ actions: listParameter(ACTION, 'What to do, in this order.') }, ['actions']),
  call: callOf({}),
  output: OutputOf.extend({ output: z.looseObject({ image_url: z.string().nullish() }) }),
  toArguments: ({ action, actions }) => ({ actions: actions ?? readList(action) }),
  toOutput: ({ output }) => [{ ...asObject(output), type: 'input_image' }],
  toCallFields: text => ({ actions: readActions(text), pending_safety_checks: [] }),
}

const computerPreview: KnownTool = {
  ...computer,
  parameters: () => objectParameters({ action: ACTION }, ['action']),
  toArguments: ({ action, actions }) => ({ action: action ?? asArray(actions)[0] }),
  toCallFields: text => ({ action: readActions(text)[0], pending_safety_checks: [] }),
}

const toolSearch: KnownTool = {
  callType: 'tool_search_call',
  outputType: 'tool_search_output',
  idPrefix: 'tsc',
  name: 'tool_search',
  describe: ({ description }) => asString(description) ?? 'Finds further tools, which can be called then.',
  parameters: ({ parameters }) =>
    isObject(parameters)
      ? parameters
      : objectParameters({ query: textParameter('What the tools are for.') }, ['query']),
  call: callOf({}),
  output: OutputOf.extend({ tools: z.array(z.looseObject({})) }),
  toArguments: ({ arguments: json }) => (typeof json === 'string' ? readArguments(json) : (json ?? {})),
  toOutput({ tools }, namesOf) {
    const names = namesOf(tools)
    return names.length > 0 ? `These tools are available: ${names.join(', ')}` : 'No tool was found.'
  },
  toCallFields: text => ({ execution: 'client', arguments: readArguments(text) }),
}

const custom: ForeignForm = {
  callType: 'custom_tool_call',
  outputType: 'custom_tool_call_output',
  idPrefix: 'ctc',
  call: callOf({ name: z.string(), input: z.string() }),
  output: OutputOf,
  toArguments: ({ input }) => ({ input }),
  toCallFields: text => ({ input: readTextArguments(text) }),
}

const functions: ToolForm = {
  callType: 'function_call',
  outputType: 'function_call_output',
  idPrefix: 'fc',
  toCallFields: text => ({ arguments: text }),
}

/** Sources: platform.openai.com/docs/guides/tools, one page for each tool */
const KNOWN_TOOLS = {
  tool_search: toolSearch,
  shell,
  local_shell: localShell,
  apply_patch: applyPatch,
  computer,
  computer_use_preview: computerPreview,
} as const
const FORMS = { ...KNOWN_TOOLS, custom, function: functions } as const

type KnownKind = keyof typeof KNOWN_TOOLS
export type ClientToolKind = keyof typeof FORMS

export const findForm = (kind: ClientToolKind): ToolForm => FORMS[kind]

const isKind = (type: string): type is ClientToolKind => Object.hasOwn(FORMS, type)
export const isKnownKind = (kind: ClientToolKind): kind is KnownKind => Object.hasOwn(KNOWN_TOOLS, kind)
export const findKnownTool = (kind: KnownKind): KnownTool => KNOWN_TOOLS[kind]

/** What the client executes of the tools that the provider may execute, too. */
const IS_CLIENTS: Readonly<Record<string, (tool: JsonObject) => boolean>> = {
  tool_search: ({ execution }) => execution === 'client',
  shell: ({ environment }) => !isObject(environment) || environment.type === 'local',
}

/** The kind of a tool that the client executes. Undefined for others. */
export function findKind(tool: JsonObject): ClientToolKind | undefined {
  const type = tool.type === 'computer_use' ? 'computer' : String(tool.type)
  return isKind(type) && (IS_CLIENTS[type]?.(tool) ?? true) ? type : undefined
}

interface ItemForm {
  readonly kind: ClientToolKind
  readonly form: ForeignForm
  readonly isCall: boolean
}

const KINDS_OF_ITEMS = ['custom', 'tool_search', 'shell', 'local_shell', 'apply_patch', 'computer'] as const

const ITEM_FORMS: ReadonlyMap<unknown, ItemForm> = new Map(
  KINDS_OF_ITEMS.flatMap((kind): (readonly [string, ItemForm])[] => {
    const form = FORMS[kind]
    return [
      [form.callType, { kind, form, isCall: true }],
      [form.outputType, { kind, form, isCall: false }],
    ]
  }),
)

/** The form of an item, unless it is a function's or of a search of the provider, which has no id of a call. */
export function findItemForm({ type, execution, call_id }: JsonObject): ItemForm | undefined {
  const item = ITEM_FORMS.get(type)
  const isHosted = item?.kind === 'tool_search' && (execution === 'server' || !asString(call_id))
  return isHosted ? undefined : item
}
