import type { ChatTool } from '../../provider-kit/contract/chat.ts'
import { isObject, type JsonObject } from '../../provider-kit/json.ts'
import {
  integerParameter as integer,
  objectParameters as objectOf,
  oneOfParameter as oneOf,
  textParameter as text,
} from '../../provider-kit/rules/object-schema.ts'
import { isComputerToolset, toMemberFunctions } from './computer-toolset.ts'

export interface AnthropicTool extends JsonObject {
  readonly type?: string | null | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly input_schema?: JsonObject | undefined
  readonly strict?: boolean | null | undefined
}

/** A tool of Claude that the client executes. Claude knows its parameters; other models must be told. */
interface ClientToolFamily {
  /** The first group is the version, a date. */
  readonly type: RegExp
  description(tool: AnthropicTool): string
  parameters(version: string, tool: AnthropicTool): JsonObject
}

const listOf = (count: number, description: string): JsonObject => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: count,
  maxItems: count,
  description,
})

const VIEW_RANGE = listOf(
  2,
  'For view: the first and the last line, counted from 1; -1 is the end of the file.',
)

/** From this version on the editor cannot undo. */
const WITHOUT_UNDO = '20250429'
/** From this version on the inserted text has a name of its own. */
const WITH_INSERT_TEXT = '20250728'

function editorParameters(version: string): JsonObject {
  const inserted = version >= WITH_INSERT_TEXT ? 'insert_text' : 'new_str'
  return objectOf(
    {
      command: oneOf([
        'view',
        'create',
        'str_replace',
        'insert',
        ...(version < WITHOUT_UNDO ? ['undo_edit'] : []),
      ]),
      path: text('The file or directory.'),
      file_text: text('For create: the content of the new file.'),
      old_str: text('For str_replace: the text to replace, which occurs exactly once in the file.'),
      new_str: text('For str_replace: the new text.'),
      insert_line: integer(
        `For insert: the line after which ${inserted} is inserted; 0 is the start of the file.`,
      ),
      [inserted]: text('The new text of str_replace, or the text of insert.'),
      view_range: VIEW_RANGE,
    },
    ['command', 'path'],
  )
}

const FIRST_ACTIONS = [
  'key',
  'type',
  'mouse_move',
  'left_click',
  'left_click_drag',
  'right_click',
  'middle_click',
  'double_click',
  'screenshot',
  'cursor_position',
]
const LATER_ACTIONS = ['left_mouse_down', 'left_mouse_up', 'triple_click', 'scroll', 'hold_key', 'wait']
const LATER_ACTIONS_SINCE = '20250124'

function computerParameters(version: string, { enable_zoom }: AnthropicTool): JsonObject {
  const coordinate = listOf(2, 'x and y in pixels from the upper left corner.')
  const hasLaterActions = version >= LATER_ACTIONS_SINCE
  const later = {
    start_coordinate: listOf(2, 'For left_click_drag: where the drag begins.'),
    scroll_direction: oneOf(['up', 'down', 'left', 'right']),
    scroll_amount: integer('For scroll: the number of clicks of the wheel.'),
    duration: { type: 'number', description: 'For hold_key and wait: seconds.' },
  }
  const zoom = { region: listOf(4, 'For zoom: x and y of the upper left and the lower right corner.') }
  return objectOf(
    {
      action: oneOf([
        ...FIRST_ACTIONS,
        ...(hasLaterActions ? LATER_ACTIONS : []),
        ...(enable_zoom === true ? ['zoom'] : []),
      ]),
      coordinate,
      text: text('For type: the text. For key and hold_key: keys in the syntax of xdotool, such as ctrl+s.'),
      ...(hasLaterActions && later),
      ...(enable_zoom === true && zoom),
    },
    ['action'],
  )
}

const MEMORY_PARAMETERS = objectOf(
  {
    command: oneOf(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
    path: text('The file or directory below /memories, for every command but rename.'),
    file_text: text('For create: the content of the file.'),
    old_str: text('For str_replace: the text to replace, which occurs exactly once in the file.'),
    new_str: text('For str_replace: the new text.'),
    insert_line: integer(
      'For insert: the line after which insert_text is inserted; 0 is the start of the file.',
    ),
    insert_text: text('For insert: the text.'),
    old_path: text('For rename: the present path.'),
    new_path: text('For rename: the new path.'),
    view_range: VIEW_RANGE,
  },
  ['command'],
)

const BASH_PARAMETERS = objectOf(
  {
    command: text('The command to run. Required unless restart is true.'),
    restart: { type: 'boolean', description: 'Restarts the session.' },
  },
  [],
)

/** Source: platform.claude.com/docs/en/agents-and-tools/tool-use, one page for each tool */
const FAMILIES: readonly ClientToolFamily[] = [
  {
    type: /^bash_(\d{8})$/,
    description: () =>
      'Runs a command in a persistent bash session, which keeps its directory and variables.',
    parameters: () => BASH_PARAMETERS,
  },
  {
    type: /^text_editor_(\d{8})$/,
    description: () =>
      'Views, creates and edits text files. Text to replace must match exactly, with its whitespace.',
    parameters: editorParameters,
  },
  {
    type: /^memory_(\d{8})$/,
    description: () =>
      'Keeps notes in files below /memories that outlast this conversation. View the directory before the task, and note progress there.',
    parameters: () => MEMORY_PARAMETERS,
  },
  {
    type: /^computer_(\d{8})$/,
    description: ({ display_width_px: width, display_height_px: height }) =>
      `Uses a desktop with mouse, keyboard and screenshots. The screen is ${width} pixels wide and ${height} high. Take a screenshot to see the effect of an action.`,
    parameters: computerParameters,
  },
]

const findFamily = (type: string) => FAMILIES.find(family => family.type.test(type))

/** Whether the client itself executes the calls of a tool of this type. */
export const isClientTool = (type: string | null | undefined): boolean =>
  !type || type === 'custom' || isComputerToolset(type) || findFamily(type) !== undefined

/** A tool that the client executes as functions. Only the calls of a toolset need a conversion back. */
export const toFunctions = (tool: AnthropicTool): readonly ChatTool[] =>
  isComputerToolset(tool.type) ? toMemberFunctions(tool) : [toFunction(tool)]

function toFunction(tool: AnthropicTool): ChatTool {
  const { type, name = '', description, input_schema, strict, cache_control } = tool
  const family = findFamily(type ?? '')
  const shown = family ? family.description(tool) : description
  const version = family?.type.exec(type ?? '')?.[1] ?? ''
  const parameters = family ? family.parameters(version, tool) : input_schema
  return {
    type: 'function',
    function: {
      name,
      ...(shown !== undefined && { description: shown }),
      ...(parameters && { parameters }),
      ...(strict && !family && { strict }),
    },
    ...(isObject(cache_control) && { cache_control }),
  }
}
