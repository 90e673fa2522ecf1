import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { Button } from '../../../ui/buttons/button.tsx'
import { classes } from '../../../ui/class-names.ts'
import { Field } from '../../../ui/forms/field.tsx'
import { useText } from '../../../ui/text/text.ts'
import { TextInput } from '../../../ui/forms/text-inputs.tsx'
import { OptionField } from '../options/option-field.tsx'
import { useOptionForm } from '../options/option-form.ts'
import { EditorLook, type Look } from './editor-look.tsx'
import { figuresIn, tableText, withEntry, wordsIn } from './figures.ts'
import { GroupRow } from './group-row.tsx'
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
