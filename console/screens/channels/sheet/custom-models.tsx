import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { useText } from '../../../ui/text.ts'
import { TextInput } from '../../../ui/text-input.tsx'
import { splitTyped } from '../models.ts'
import { sheetText } from './sheet-text.ts'

interface CustomModelsProps {
  readonly own: readonly string[]
  readonly onAdd: (models: readonly string[]) => void
}

/** Model names typed by hand, parted by commas. Only those that are there already are rejected. */
export function CustomModels({ own, onAdd }: CustomModelsProps) {
  const t = useText(sheetText)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = () => {
    const { added, repeated } = splitTyped(typed, own)
    if (added.length > 0) onAdd(added)
    setTyped(repeated.join(','))
    setProblem(repeated.length > 0 ? t('modelsRepeated', { models: repeated.join(', ') }) : undefined)
  }
  const addByEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    add()
  }
  return (
    <Field label={t('customModels')} error={problem}>
      {control => (
        <div className="flex gap-2">
          <div className="flex-1">
            <TextInput
              {...control}
              isMono
              value={typed}
              placeholder={t('customModelsPlaceholder')}
              onChange={event => setTyped(event.target.value)}
              onKeyDown={addByEnter}
            />
          </div>
          <Button disabled={typed.trim() === ''} onClick={add}>
            {t('addModels')}
          </Button>
        </div>
      )}
    </Field>
  )
}
