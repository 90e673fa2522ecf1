import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../ui/buttons/button.tsx'
import { classes } from '../../../ui/class-names.ts'
import { Tag } from '../../../ui/data/badges.tsx'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { Skeleton } from '../../../ui/feedback/progress.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { Field, TextInput } from '../../../ui/forms/field.tsx'
import { confirm } from '../../../ui/overlays/confirm.ts'
import { useText } from '../../../ui/text/text.ts'
import { OptionField } from '../options/fields.tsx'
import { useOptionForm } from '../options/form.ts'
import { EditorLook, FigureInput, type Look } from './editor-controls.tsx'
import { figuresIn, tableText, withEntry, wordsIn } from './option-table.ts'
import { groupUseQuery } from './queries.ts'
import { operationText } from './text.ts'

const KEYS = ['GroupRatio', 'UserUsableGroups', 'TopupGroupRatio'] as const
const RATIO_FIRST = 1
const HEADERS = ['group', 'ratio', 'topUpRatio', 'selectable', 'groupDescription', 'inUse'] as const
/** The description has what the others leave. */
const WIDTHS: Readonly<Partial<Record<(typeof HEADERS)[number], string>>> = {
  group: 'w-px',
  ratio: 'w-24',
  topUpRatio: 'w-24',
  selectable: 'w-px',
  inUse: 'w-px',
}

/** The groups with their ratios, who may choose them, and their top-up ratios: one table, or three JSON texts. */
export function GroupsEditor() {
  const t = useText(operationText)
  const { textAt, set } = useOptionForm()
  const [look, setLook] = useState<Look>('table')
  const ratios = figuresIn(textAt('GroupRatio'))
  const usable = wordsIn(textAt('UserUsableGroups'))
  const topUps = figuresIn(textAt('TopupGroupRatio'))
  if (look === 'json') {
    return (
      <>
        <EditorLook look={look} onLook={setLook} />
        {KEYS.map(key => (
          <OptionField key={key} optionKey={key} />
        ))}
      </>
    )
  }
  if (!ratios || !usable || !topUps) {
    return (
      <>
        <EditorLook look={look} onLook={setLook} />
        <Banner tone="danger">{t('groupsBroken')}</Banner>
      </>
    )
  }
  const remove = (name: string) => {
    set('GroupRatio', tableText(withEntry(ratios, name, undefined)))
    set('UserUsableGroups', tableText(withEntry(usable, name, undefined)))
    set('TopupGroupRatio', tableText(withEntry(topUps, name, undefined)))
  }
  return (
    <>
      <EditorLook look={look} onLook={setLook} />
      <div className="-mx-1 overflow-x-auto px-1">
        <table className="w-full min-w-160 text-small">
          <thead>
            <tr className="border-b border-line text-left text-caption text-muted">
              {HEADERS.map(header => (
                <th key={header} scope="col" className={classes('px-1 py-2 font-medium', WIDTHS[header])}>
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
                onRatio={value => set('GroupRatio', tableText(withEntry(ratios, name, value)))}
                onTopUpRatio={value => set('TopupGroupRatio', tableText(withEntry(topUps, name, value)))}
                onDescription={words => set('UserUsableGroups', tableText(withEntry(usable, name, words)))}
                onRemove={() => remove(name)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <NewGroup
        taken={Object.keys(ratios)}
        onAdd={name => set('GroupRatio', tableText(withEntry(ratios, name, RATIO_FIRST)))}
      />
    </>
  )
}

interface NewGroupProps {
  readonly taken: readonly string[]
  readonly onAdd: (name: string) => void
}

function NewGroup({ taken, onAdd }: NewGroupProps) {
  const t = useText(operationText)
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<'groupNeeded' | 'groupTaken'>()
  const add = () => {
    const wanted = name.trim()
    const found = wanted === '' ? 'groupNeeded' : taken.includes(wanted) ? 'groupTaken' : undefined
    setProblem(found)
    if (found) return
    onAdd(wanted)
    setName('')
  }
  return (
    <div className="flex items-start gap-2">
      <div className="w-60">
        <Field label={t('newGroup')} error={problem && t(problem)}>
          {control => (
            <TextInput
              {...control}
              value={name}
              onChange={event => setName(event.target.value)}
              onKeyDown={event => event.key === 'Enter' && !event.nativeEvent.isComposing && add()}
            />
          )}
        </Field>
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
  /** Undefined: users may not choose it. */
  readonly description: string | undefined
  readonly onRatio: (ratio: number) => void
  readonly onTopUpRatio: (ratio: number | undefined) => void
  readonly onDescription: (words: string | undefined) => void
  readonly onRemove: () => void
}

/** One group: everything that is kept of it in three options. */
export function GroupRow(props: GroupRowProps) {
  const { name, ratio, topUpRatio, description, onRatio, onTopUpRatio, onDescription, onRemove } = props
  const t = useText(operationText)
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
        <FigureInput
          label={t('ratioOf', { name })}
          value={ratio}
          onChange={value => value !== undefined && onRatio(value)}
        />
      </td>
      <td className="px-1 py-2">
        <FigureInput
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
