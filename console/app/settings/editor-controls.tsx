import { SegmentedChoice } from '../../ui/forms/fields.tsx'
import { useSettingsText } from './text.ts'

export type EditorMode = 'table' | 'json'

interface EditorModeChoiceProps {
  readonly mode: EditorMode
  readonly onMode: (look: EditorMode) => void
}

/** Switches between the visual editor and JSON. Both edit the same value. */
export function EditorModeChoice({ mode, onMode }: EditorModeChoiceProps) {
  const t = useSettingsText()
  return (
    <div className="justify-self-start">
      <SegmentedChoice
        label={t('look')}
        value={mode}
        options={[
          { value: 'table', label: t('asTable') },
          { value: 'json', label: t('asJson') },
        ]}
        onChange={onMode}
      />
    </div>
  )
}
