import type { ChatTool } from '../../provider-kit/contract/chat.ts'
import { asObject, type JsonObject } from '../../provider-kit/json.ts'

/** Fields of its members' calls beside the name. */
const TOOLSET = 'computer'
/** Members have names such as `key` and `wait`, which the client's own functions may have too. */
const PREFIX = `${TOOLSET}__`

interface ToolsetMember {
  readonly name: string
  readonly description: string
  readonly properties?: JsonObject
  readonly required?: readonly string[]
}

const point = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description,
})
const AT = { coordinate: point('x and y in pixels from the upper left corner; the cursor by default.') }
const HELD = { text: { type: 'string', description: 'Keys to hold during the action, such as ctrl+shift.' } }
const SECONDS = { duration: { type: 'number', description: 'Seconds.' } }

const click = (name: string, description: string): ToolsetMember => ({
  name,
  description,
  properties: { ...AT, ...HELD },
})

/** Source: platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool */
const MEMBERS: readonly ToolsetMember[] = [
  { name: 'screenshot', description: 'Takes a screenshot of the screen.' },
  {
    name: 'zoom',
    description: 'Takes an enlarged screenshot of a region.',
    properties: {
      region: {
        type: 'array',
        items: { type: 'integer' },
        minItems: 4,
        maxItems: 4,
        description: 'x and y of the upper left and the lower right corner in the full screenshot.',
      },
    },
    required: ['region'],
  },
  click('left_click', 'Clicks the left mouse button.'),
  click('right_click', 'Clicks the right mouse button.'),
  click('middle_click', 'Clicks the middle mouse button.'),
  click('double_click', 'Clicks the left mouse button twice.'),
  click('triple_click', 'Clicks the left mouse button three times.'),
  {
    name: 'left_click_drag',
    description: 'Drags the mouse with its left button held.',
    properties: {
      start_coordinate: point('Where the drag begins.'),
      coordinate: point('Where the drag ends.'),
      ...HELD,
    },
    required: ['start_coordinate', 'coordinate'],
  },
  { name: 'left_mouse_down', description: 'Presses the left mouse button at the cursor.' },
  { name: 'left_mouse_up', description: 'Releases the left mouse button.' },
  {
    name: 'mouse_move',
    description: 'Moves the cursor without a click.',
    properties: { coordinate: point('x and y in pixels from the upper left corner.') },
    required: ['coordinate'],
  },
  { name: 'cursor_position', description: 'Returns the position of the cursor.' },
  {
    name: 'scroll',
    description: 'Turns the mouse wheel.',
    properties: {
      ...AT,
      scroll_direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
      scroll_amount: { type: 'integer', description: 'Clicks of the wheel.' },
      ...HELD,
    },
    required: ['scroll_direction', 'scroll_amount'],
  },
  {
    name: 'type',
    description: 'Types text.',
    properties: { text: { type: 'string' } },
    required: ['text'],
  },
  {
    name: 'key',
    description: 'Presses a key or a combination.',
    properties: {
      text: { type: 'string', description: 'Such as Return, ctrl+s or alt+Tab.' },
      repeat: { type: 'integer', description: 'How often; once by default.' },
    },
    required: ['text'],
  },
  {
    name: 'hold_key',
    description: 'Holds a key or a combination.',
    properties: { text: { type: 'string' }, ...SECONDS },
    required: ['text', 'duration'],
  },
  { name: 'wait', description: 'Waits.', properties: SECONDS, required: ['duration'] },
]

const TYPE = /^computer_toolset_\d{8}$/

export const isComputerToolset = (type: string | null | undefined): boolean => TYPE.test(type ?? '')

/** One function for each member that the client does not disable. */
export const toMemberFunctions = ({ configs }: JsonObject): readonly ChatTool[] =>
  MEMBERS.filter(({ name }) => asObject(asObject(configs)[name]).enabled !== false).map(
    ({ name, description, properties = {}, required = [] }) => ({
      type: 'function',
      function: {
        name: PREFIX + name,
        description,
        parameters: { type: 'object', properties, required },
      },
    }),
  )

/** The function that the name in a call of the history stands for. */
export const toFunctionName = (name: string, toolset: unknown): string =>
  toolset === TOOLSET ? PREFIX + name : name

/** The name of a call as its client knows it. `hasToolset`: the client has declared the toolset. */
export const toCallName = (name: string, hasToolset: unknown): JsonObject =>
  hasToolset === true && name.startsWith(PREFIX)
    ? { name: name.slice(PREFIX.length), toolset_name: TOOLSET }
    : { name }
