import { useOptionForm } from '#console/app/settings/form.ts'
import { useOptionText } from '#console/app/settings/options.ts'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { usePriceSettingsText } from './text.ts'

/** Names what is wrong with options that cannot be shown as a table. */
export function BrokenOptions({ keys }: { readonly keys: readonly string[] }) {
  const t = usePriceSettingsText()
  const { errorOf } = useOptionForm()
  const optionText = useOptionText()
  return (
    <Banner tone="danger">
      {t('tableBroken')}
      <ul>
        {keys
          .filter(key => errorOf(key) !== undefined)
          .map(key => (
            <li key={key} className="break-words">
              <span className="font-medium">{optionText(key).label}</span> · {errorOf(key)}
            </li>
          ))}
      </ul>
    </Banner>
  )
}
