import type { OptionKey } from '#contract/options/system-options.ts'
import { type FieldKind, kindOf } from './field-kind.ts'
import { OptionField } from './option-field.tsx'

const WIDE: readonly FieldKind[] = ['lines', 'json', 'names']

interface OptionFieldsProps {
  readonly keys: readonly OptionKey[]
}

/** The fields of some options: short ones side by side below the switches that stand before them, the others below. */
export function OptionFields({ keys }: OptionFieldsProps) {
  const flags = keys.filter(key => kindOf(key) === 'flag')
  const wide = keys.filter(key => WIDE.includes(kindOf(key)))
  const short = keys.filter(key => !flags.includes(key) && !wide.includes(key))
  const begin = keys.findIndex(key => short.includes(key))
  return (
    <>
      <Flags keys={flags.filter(key => keys.indexOf(key) < begin)} />
      {short.length > 0 && (
        <div className="grid gap-x-6 gap-y-5 sm:grid-cols-2">
          {short.map(key => (
            <OptionField key={key} optionKey={key} />
          ))}
        </div>
      )}
      <Flags keys={flags.filter(key => keys.indexOf(key) > begin)} />
      {wide.map(key => (
        <OptionField key={key} optionKey={key} />
      ))}
    </>
  )
}

const Flags = ({ keys }: OptionFieldsProps) =>
  keys.length > 0 && (
    <div className="grid gap-4">
      {keys.map(key => (
        <OptionField key={key} optionKey={key} />
      ))}
    </div>
  )
