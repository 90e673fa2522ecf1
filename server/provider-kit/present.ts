type Present<Fields> = { readonly [Name in keyof Fields]?: NonNullable<Fields[Name]> }

/** The fields that have a value. The cast is safe because what is null or undefined has just been left out. */
export const present = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Present<Fields>
