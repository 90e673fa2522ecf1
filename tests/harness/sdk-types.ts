import { join } from 'node:path'
import ts from 'typescript'

/** The differences between a JSON value and a type of an official SDK, each with its path. Empty when it fits. */
export type TypeCheck = (value: unknown) => readonly string[]

/** The public types of a package: a value is checked against the type that its name has in a declaration file. */
export interface SdkTypes {
  type(name: string): TypeCheck
  /** The names of the members of an object type. */
  members(name: string): readonly string[]
}

const PACKAGES = join(import.meta.dir, '../../node_modules')

/**
 * Reads declaration files, for example `openai/resources/responses/responses.d.ts`: the first has the types, and the
 * others are those that it refers to. Types of further files accept any value. Types are followed as far as a value goes,
 * and members that a type does not have are allowed, as the SDKs do.
 */
export function readSdkTypes(file: string, ...referred: readonly string[]): SdkTypes {
  const [path = '', ...others] = [file, ...referred].map(name => join(PACKAGES, name))
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es5.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
  }
  const host = ts.createCompilerHost(options)
  const readable = new Set([path, ...others])
  const program = ts.createProgram([path], options, {
    ...host,
    fileExists: name => readable.has(name),
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(path)
  const module = source && checker.getSymbolAtLocation(source)
  if (!module) throw new Error(`${file} exports no types`)
  const exported = new Map(
    checker.getExportsOfModule(module).map(symbol => [symbol.getName(), symbol] as const),
  )
  const find = (name: string): ts.Type => {
    const symbol = exported.get(name)
    if (!symbol) throw new Error(`${file} has no type ${name}`)
    return checker.getDeclaredTypeOfSymbol(symbol)
  }
  return {
    type: name => value => findProblems({ checker, value, type: find(name), path: name }),
    members: name => checker.getPropertiesOfType(find(name)).map(property => property.getName()),
  }
}

interface Comparison {
  readonly checker: ts.TypeChecker
  readonly value: unknown
  readonly type: ts.Type
  readonly path: string
}

const PRIMITIVES: readonly (readonly [flag: ts.TypeFlags, accepts: (value: unknown) => boolean])[] = [
  [ts.TypeFlags.Any | ts.TypeFlags.Unknown, () => true],
  [ts.TypeFlags.Null, value => value === null],
  [ts.TypeFlags.StringLike & ~ts.TypeFlags.StringLiteral, value => typeof value === 'string'],
  [ts.TypeFlags.NumberLike & ~ts.TypeFlags.NumberLiteral, value => typeof value === 'number'],
  [ts.TypeFlags.Boolean, value => typeof value === 'boolean'],
]

function findProblems(comparison: Comparison): readonly string[] {
  const { checker, value, type, path } = comparison
  if (type.isUnion()) return findUnionProblems(comparison, type.types)
  if (type.isIntersection()) return type.types.flatMap(part => findProblems({ ...comparison, type: part }))
  if (type.isStringLiteral() || type.isNumberLiteral())
    return type.value === value ? [] : [`${path}: ${show(value)} is not ${show(type.value)}`]
  if (type.flags & ts.TypeFlags.BooleanLiteral)
    return checker.typeToString(type) === String(value) ? [] : [`${path}: ${show(value)}`]
  const primitive = PRIMITIVES.find(([flag]) => type.flags & flag)
  if (primitive)
    return primitive[1](value) ? [] : [`${path}: ${show(value)} is no ${checker.typeToString(type)}`]
  return findObjectProblems(comparison)
}

/** The members whose `type` is the value's, where there are any, are the ones that it could mean. */
function findUnionProblems(comparison: Comparison, types: readonly ts.Type[]): readonly string[] {
  const meant = types.filter(type => hasTypeOf({ ...comparison, type }))
  const found = (meant.length > 0 ? meant : types).map(type => findProblems({ ...comparison, type }))
  return found.reduce((best, problems) => (problems.length < best.length ? problems : best))
}

function hasTypeOf({ checker, value, type, path }: Comparison): boolean {
  const property = type.getProperty('type')
  if (!property || typeof value !== 'object' || value === null) return false
  const own = Reflect.get(value, 'type')
  return findProblems({ checker, value: own, type: checker.getTypeOfSymbol(property), path }).length === 0
}

function findObjectProblems(comparison: Comparison): readonly string[] {
  const { checker, value, type, path } = comparison
  const members = checker.getPropertiesOfType(type)
  const isAnything = members.length === 0 && value !== null && value !== undefined
  if (isAnything) return []
  if (typeof value !== 'object' || value === null)
    return [`${path}: ${show(value)} is no ${checker.typeToString(type)}`]
  const element = checker.isArrayType(type)
    ? checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    : undefined
  if (element) {
    if (!Array.isArray(value)) return [`${path}: ${show(value)} is no ${checker.typeToString(type)}`]
    return value.flatMap((item, index) =>
      findProblems({ checker, value: item, type: element, path: `${path}[${index}]` }),
    )
  }
  return members.flatMap(property =>
    findPropertyProblems(comparison, property, Reflect.get(value, property.getName())),
  )
}

/** An optional member may be null: the providers' APIs send null where their types leave a member out. */
function findPropertyProblems(
  { checker, path }: Comparison,
  property: ts.Symbol,
  value: unknown,
): readonly string[] {
  const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
  const place = `${path}.${property.getName()}`
  if (value === undefined) return isOptional ? [] : [`${place} is missing`]
  if (value === null && isOptional) return []
  return findProblems({ checker, value, type: checker.getTypeOfSymbol(property), path: place })
}

const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? String(value)
