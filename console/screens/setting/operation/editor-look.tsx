import { SegmentedChoice } from '../../../ui/forms/select.tsx'
import { useText } from '../../../ui/text/text.ts'
import { operationText } from './text.ts'

export type Look = 'table' | 'json'

interface EditorLookProps {
  readonly look: Look
  readonly onLook: (look: Look) => void
}

/** The choice between the visual editor and the JSON beside it. Changing between them keeps the content. */
export function EditorLook({ look, onLook }: EditorLookProps) {
  const t = useText(operationText)
  return (
    <div className="justify-self-start">
      <SegmentedChoice
        label={t('look')}
        value={look}
        options={[
          { value: 'table', label: t('asTable') },
          { value: 'json', label: t('asJson') },
        ]}
        onChange={onLook}
      />
    </div>
  )
}
