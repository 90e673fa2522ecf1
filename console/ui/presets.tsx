interface PresetsProps<Value extends string | number> {
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: Value; readonly label: string }>
  readonly onPick: (value: Value) => void
  readonly disabled?: boolean
}

/** Common values of the field above, one click each. */
export function Presets<Value extends string | number>({
  label,
  options,
  onPick,
  disabled = false,
}: PresetsProps<Value>) {
  return (
    <fieldset aria-label={label} className="flex flex-wrap gap-1.5 coarse:gap-3">
      {options.map(option => (
        <button
          key={option.value}
          type="button"
          disabled={disabled}
          onClick={() => onPick(option.value)}
          className="h-7 rounded-full border border-line-strong px-2.5 text-caption text-muted touch-target enabled:hover:bg-hover enabled:hover:text-fg disabled:opacity-55"
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
