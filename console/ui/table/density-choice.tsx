import { kitText } from '../kit-text.ts'
import { SegmentedChoice } from '../segmented-choice.tsx'
import { useText } from '../text.ts'
import type { Density } from './column.ts'

interface DensityChoiceProps {
  readonly density: Density
  readonly onChange: (density: Density) => void
}

export function DensityChoice({ density, onChange }: DensityChoiceProps) {
  const t = useText(kitText)
  return (
    <SegmentedChoice
      label={t('density')}
      value={density}
      onChange={onChange}
      options={[
        { value: 'comfortable', label: t('comfortable') },
        { value: 'compact', label: t('compact') },
      ]}
    />
  )
}
