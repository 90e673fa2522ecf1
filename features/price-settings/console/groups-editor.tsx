import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type EditorMode, EditorModeChoice } from '#console/app/settings/editor-controls.tsx'
import { OptionField } from '#console/app/settings/fields.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { parseAmount } from '#console/app/settings/parse-amount.ts'
import { SaveActions } from '#console/app/settings/save-actions.tsx'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { Tag } from '#console/ui/data/badges.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Checkbox, TextInput } from '#console/ui/forms/fields.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { confirm } from '#console/ui/overlays/messages.tsx'
import { BrokenOptions } from './broken-options.tsx'
import { parseNumberTable, parseTextTable, stringifyTable, withEntry } from './option-table.ts'
import { groupUseQuery } from './queries.ts'
import { usePriceSettingsText } from './text.ts'

const KEYS = ['GroupRatio', 'UserUsableGroups', 'TopupGroupRatio'] as const
const INITIAL_RATIO = 1
const HEADERS = ['group', 'ratio', 'topUpRatio', 'selectable', 'groupDescription', 'inUse'] as const
/** The description takes the remaining width. */
const WIDTHS: Readonly<Partial<Record<(typeof HEADERS)[number], string>>> = {
  group: 'w-px',
  ratio: 'w-24',
  topUpRatio: 'w-24',
  selectable: 'w-px',
  inUse: 'w-px',
}

/** Edits groups, their ratios, top-up ratios and selectability in one table, or as three JSON texts. */
export function GroupsEditor() {
  const t = usePriceSettingsText()
  const { currentValue, set } = useOptionForm()
  const [mode, setMode] = useState<EditorMode>('table')
  const ratios = parseNumberTable(currentValue('GroupRatio'))
  const usable = parseTextTable(currentValue('UserUsableGroups'))
  const topUps = parseNumberTable(currentValue('TopupGroupRatio'))
  if (mode === 'json') {
    return (
      <>
        <EditorModeChoice mode={mode} onMode={setMode} />
        {KEYS.map(key => (
          <OptionField key={key} optionKey={key} />
        ))}
      </>
    )
  }
  if (!ratios || !usable || !topUps) {
    return (
      <>
        <EditorModeChoice mode={mode} onMode={setMode} />
        <BrokenOptions keys={KEYS} />
      </>
    )
  }
  const remove = (name: string) => {
    set('GroupRatio', stringifyTable(withEntry(ratios, name, undefined)))
    set('UserUsableGroups', stringifyTable(withEntry(usable, name, undefined)))
    set('TopupGroupRatio', stringifyTable(withEntry(topUps, name, undefined)))
  }
  return (
    <>
      <EditorModeChoice mode={mode} onMode={setMode} />
      <div className="-mx-1 overflow-x-auto px-1">
        <table className="w-full min-w-160 text-small">
          <thead>
            <tr className="border-b border-line text-left text-caption text-muted">
              {HEADERS.map(header => (
                <th
                  key={header}
                  scope="col"
                  className={classes('px-1 py-2 font-medium whitespace-nowrap', WIDTHS[header])}
                >
                  {t(header)}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {Object.keys(ratios).map(name => (
              <GroupRow
                key={name}
                name={name}
                ratio={ratios[name]}
                topUpRatio={topUps[name]}
                description={usable[name]}
                onRatio={value => set('GroupRatio', stringifyTable(withEntry(ratios, name, value)))}
                onTopUpRatio={value => set('TopupGroupRatio', stringifyTable(withEntry(topUps, name, value)))}
                onDescription={words =>
                  set('UserUsableGroups', stringifyTable(withEntry(usable, name, words)))
                }
                onRemove={() => remove(name)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <NewGroup
        existing={Object.keys(ratios)}
        onAdd={name => set('GroupRatio', stringifyTable(withEntry(ratios, name, INITIAL_RATIO)))}
      />
      <SaveActions step="edit" keys={KEYS} />
    </>
  )
}

interface NewGroupProps {
  readonly existing: readonly string[]
  readonly onAdd: (name: string) => void
}

function NewGroup({ existing, onAdd }: NewGroupProps) {
  const t = usePriceSettingsText()
  const [name, setName] = useState('')
  const [error, setError] = useState<'groupNeeded' | 'groupTaken'>()
  const add = () => {
    const trimmed = name.trim()
    const found = trimmed === '' ? 'groupNeeded' : existing.includes(trimmed) ? 'groupTaken' : undefined
    setError(found)
    if (found) return
    onAdd(trimmed)
    setName('')
  }
  return (
    <div className="flex items-start gap-2">
      <div className="w-60">
        <InputField
          label={t('newGroup')}
          error={error && t(error)}
          value={name}
          onChange={event => setName(event.target.value)}
          onKeyDown={event => event.key === 'Enter' && !event.nativeEvent.isComposing && add()}
        />
      </div>
      <Button icon={Plus} className="mt-6.5" onClick={add}>
        {t('addGroup')}
      </Button>
    </div>
  )
}

interface GroupRowProps {
  readonly name: string
  readonly ratio: number | undefined
  readonly topUpRatio: number | undefined
  /** Undefined when users may not choose the group. */
  readonly description: string | undefined
  readonly onRatio: (ratio: number) => void
  readonly onTopUpRatio: (ratio: number | undefined) => void
  readonly onDescription: (words: string | undefined) => void
  readonly onRemove: () => void
}

/** A row that edits one group, which is stored in three options. */
export function GroupRow(props: GroupRowProps) {
  const { name, ratio, topUpRatio, description, onRatio, onTopUpRatio, onDescription, onRemove } = props
  const t = usePriceSettingsText()
  const { data: use } = useQuery(groupUseQuery(name))
  const used = use && t('usedBy', { users: use.users, channels: use.channels })
  const remove = async () => {
    const isFree = use?.users === 0 && use.channels === 0
    const question = {
      title: t('removeGroupTitle', { name }),
      text: t('removeGroupText', { used: used ?? '?' }),
      action: t('removeGroup', { name }),
      isDanger: true,
    }
    if (isFree || (await confirm(question))) onRemove()
  }
  return (
    <tr className="border-b border-line">
      <th scope="row" className="px-1 py-2 text-left font-normal">
        <Tag hasSwatch>{name}</Tag>
      </th>
      <td className="px-1 py-2">
        <AmountInput
          label={t('ratioOf', { name })}
          value={ratio}
          onChange={value => value !== undefined && onRatio(value)}
        />
      </td>
      <td className="px-1 py-2">
        <AmountInput
          isOptional
          label={t('topUpRatioOf', { name })}
          placeholder="1"
          value={topUpRatio}
          onChange={onTopUpRatio}
        />
      </td>
      <td className="px-1 py-2">
        <Checkbox
          aria-label={t('selectableOf', { name })}
          checked={description !== undefined}
          onChange={event => onDescription(event.target.checked ? name : undefined)}
        />
      </td>
      <td className="px-1 py-2">
        <TextInput
          aria-label={t('descriptionOf', { name })}
          disabled={description === undefined}
          value={description ?? ''}
          onChange={event => onDescription(event.target.value)}
        />
      </td>
      <td className="px-1 py-2 text-caption whitespace-nowrap text-muted tabular">
        {used ?? <Skeleton className="h-4 w-24" />}
      </td>
      <td className="py-2 text-right">
        <IconButton
          label={t('removeGroup', { name })}
          icon={Trash2}
          size="small"
          className="text-danger"
          onClick={() => void remove()}
        />
      </td>
    </tr>
  )
}

interface AmountInputProps {
  readonly label: string
  /** Undefined when there is none. */
  readonly value: number | undefined
  /** Called with every valid number, and with undefined when an optional field is emptied. */
  readonly onChange: (value: number | undefined) => void
  readonly isOptional?: boolean
  readonly placeholder?: string
}

/** Editable number in a table cell. Invalid input stays in the field and changes nothing. */
function AmountInput({ label, value, onChange, isOptional = false, placeholder }: AmountInputProps) {
  const [typed, setTyped] = useState<string>()
  const shown = typed ?? (value === undefined ? '' : String(value))
  const isEmptyFine = isOptional && shown.trim() === ''
  const isWrong = !isEmptyFine && parseAmount(shown) === undefined
  const type = (next: string) => {
    setTyped(next)
    const figure = parseAmount(next)
    if (figure !== undefined) onChange(figure)
    else if (isOptional && next.trim() === '') onChange(undefined)
  }
  return (
    <TextInput
      aria-label={label}
      aria-invalid={isWrong || undefined}
      inputMode="decimal"
      placeholder={placeholder}
      value={shown}
      onChange={event => type(event.target.value)}
      onBlur={() => setTyped(undefined)}
      className="tabular"
    />
  )
}
