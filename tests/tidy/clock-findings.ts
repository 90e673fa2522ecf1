import ts from 'typescript'
import { type Finding, isTest, nodesOf, placeOf, type Source } from './source.ts'

const MAY_READ_THE_TIME = /^(server\/core\/clock\.ts|console\/app\/|scripts\/)/
const READERS = new Set([
  'Date.now',
  'performance.now',
  'Bun.nanoseconds',
  'process.hrtime',
  'process.uptime',
])

/** Reads of the time outside the clock: then no test could set it. */
export function clockFindings(source: Source): readonly Finding[] {
  if (isTest(source) || MAY_READ_THE_TIME.test(source.path)) return []
  return nodesOf(source, readsTheTime).map(
    node => `${placeOf(source, node.getStart())} reads the time; use core/clock: ${node.getText()}`,
  )
}

function readsTheTime(node: ts.Node): node is ts.Expression {
  if (ts.isPropertyAccessExpression(node)) return READERS.has(node.getText())
  if (ts.isNewExpression(node)) return isDate(node.expression) && !node.arguments?.length
  return ts.isCallExpression(node) && isDate(node.expression)
}

const isDate = (node: ts.Expression): boolean => ts.isIdentifier(node) && node.text === 'Date'
