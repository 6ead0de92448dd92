// Writes types/api.ts from docs/openapi.json. With --check: exits with 1 if the file differs from what would be written.
import { readFileSync, writeFileSync } from 'node:fs'

const source = new URL('../../docs/openapi.json', import.meta.url)
const target = new URL('../types/api.ts', import.meta.url)
const prefix = '/api/v1'
const api = JSON.parse(readFileSync(source, 'utf8'))

const quoted = (value) => (value === null ? 'null' : typeof value === 'string' ? `'${value.replace(/'/g, "\\'")}'` : String(value))
const memberName = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name))

function typeOf(schema, depth) {
  if (schema.$ref) return schema.$ref.split('/').pop()
  if (schema.allOf) return schema.allOf.map((each) => typeOf(each, depth)).join(' & ')
  if (schema.oneOf || schema.anyOf) return (schema.oneOf ?? schema.anyOf).map((each) => typeOf(each, depth)).join(' | ')
  if (schema.enum) return schema.enum.map(quoted).join(' | ')
  const kinds = [schema.type ?? 'unknown'].flat()
  return kinds.map((kind) => plainTypeOf(kind, schema, depth)).join(' | ')
}

function plainTypeOf(kind, schema, depth) {
  switch (kind) {
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const item = typeOf(schema.items ?? {}, depth)
      return /[ |&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return schema.properties ? objectOf(schema, depth) : 'Record<string, unknown>'
    default:
      return kind
  }
}

function objectOf(schema, depth) {
  const pad = '  '.repeat(depth + 1)
  const required = new Set(schema.required ?? [])
  const members = Object.entries(schema.properties).map(([name, each]) => {
    const comment = each.description ? `${pad}/** ${each.description} */\n` : ''
    return `${comment}${pad}${memberName(name)}${required.has(name) ? '' : '?'}: ${typeOf(each, depth + 1)}`
  })
  return `{\n${members.join('\n')}\n${'  '.repeat(depth)}}`
}

function parametersOf(operation, place) {
  const found = (operation.parameters ?? []).filter((each) => each.in === place)
  if (found.length === 0) return 'undefined'
  const schema = { properties: {}, required: [] }
  for (const each of found) {
    schema.properties[each.name] = { ...each.schema, description: each.description ?? '' }
    if (each.required) schema.required.push(each.name)
  }
  return objectOf(schema, 2)
}

const contentOf = (content) => (content ? Object.values(content)[0].schema : null)

function operationOf(operation) {
  const body = contentOf(operation.requestBody?.content)
  const done = Object.entries(operation.responses).filter(([code]) => code.startsWith('2'))
  const answers = done.map(([, each]) => contentOf(each.content)).filter(Boolean)
  const answer = [...new Set(answers.map((each) => typeOf(each, 2)))].join(' | ')
  return [
    `    query: ${parametersOf(operation, 'query')}`,
    `    body: ${body ? typeOf(body, 2) : 'undefined'}`,
    `    answer: ${answer || 'undefined'}`,
  ].join('\n')
}

const lines = ['// Written by scripts/make_types.mjs from docs/openapi.json. Do not edit.', '']
for (const [name, schema] of Object.entries(api.components.schemas)) lines.push(`export type ${name} = ${typeOf(schema, 0)}`, '')
lines.push('/** Operations by method and path below /api/v1. */', 'export interface Operations {')
for (const [path, methods] of Object.entries(api.paths))
  for (const [method, operation] of Object.entries(methods))
    if (operation.responses)
      lines.push(
        `  /** ${operation.summary}. ${operation.description} */`,
        `  '${method.toUpperCase()} ${path.slice(prefix.length)}': {\n${operationOf(operation)}\n  }`,
      )
lines.push('}', '')

const text = lines.join('\n')
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('console/types/api.ts differs from docs/openapi.json: run "npm run types" in console/')
    process.exit(1)
  }
} else {
  writeFileSync(target, text)
}
