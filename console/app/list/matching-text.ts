import type { English } from '../../ui/text/text.ts'

const zh = {
  selectAll: '选择符合条件的全部 {count} 项',
  confirmTitle: '{action}：符合条件的全部 {count} 项？',
  confirmText: '对所有页生效，包括未显示的条目。确认之后才符合条件的条目不受影响。',
  confirmAgain: '符合条件的条目已增加，尚未做任何更改。请确认新的数量。',
  changed: '已处理 {count} 项',
  someChanged: '已处理 {count} 项，共 {matched} 项。其余条目的状态不允许此操作，或已不符合条件。',
}

const en: English<typeof zh> = {
  selectAll: 'Select all {count} that match',
  confirmTitle: '{action}: all {count} that match?',
  confirmText:
    'Applies to all pages, also to rows that are not shown. Rows that match only after you confirm stay unchanged.',
  confirmAgain: 'More rows match now, and nothing was changed. Confirm the new number.',
  changed: '{count} changed',
  someChanged:
    '{count} of {matched} changed. The others do not allow it in their status, or no longer match.',
}

/** Loaded with the lists that select all that matches. */
export const matchingText = { zh, en }
