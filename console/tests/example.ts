import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Schema {
  $ref?: string
  allOf?: Schema[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  enum?: unknown[]
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  minimum?: number
}
interface Operation {
  parameters?: { name: string; in: string }[]
  responses: Record<string, { content?: Record<string, { schema: Schema }>; headers?: Record<string, unknown> }>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export const document_: Document = JSON.parse(readFileSync(join(process.cwd(), '../docs/openapi.json'), 'utf8'))

function valueOf(schema: Schema, name = ''): unknown {
  if (schema.$ref) return example(schema.$ref.split('/').pop() ?? '')
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => valueOf(each)))
  const choice = schema.oneOf ?? schema.anyOf
  if (choice?.[0]) return valueOf(choice[0], name)
  if (schema.enum) return schema.enum[0]
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return name.endsWith('_ms') ? 1_700_000_000_000 : Math.max(schema.minimum ?? 1, 1)
    case 'boolean':
      return false
    case 'array':
      return [valueOf(schema.items ?? {}, name)]
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, each]) => [key, valueOf(each, key)]))
    case 'string':
      return name === 'next' ? null : name || 'text'
    default:
      return null
  }
}

/** Returns a value of a schema of the API's document. */
export function example(name: string): unknown {
  const schema = document_.components.schemas[name]
  if (!schema) throw new Error(`no schema ${name}`)
  return valueOf(schema)
}

/** Finds the operation of a request, e.g. `GET /api/v1/jobs/7`. */
export function operationOf(method: string, path: string): Operation | undefined {
  const found = Object.entries(document_.paths).filter(([template]) => new RegExp(`^${template.replace(/\{\w+\}/g, '\\d+')}$`).test(path))
  return found.map(([, methods]) => methods[method.toLowerCase()]).find(Boolean)
}

/** Returns an answer of an operation, made of its schemas. */
export function answerOf(operation: Operation): Response {
  const [code, answer] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? ['204', {}]
  const content = answer.content && Object.entries(answer.content)[0]
  const body = content ? (content[0].includes('json') ? JSON.stringify(valueOf(content[1].schema)) : 'text') : null
  return new Response(body, { status: Number(code), headers: { ...(content ? { 'Content-Type': content[0] } : {}), ...(answer.headers?.ETag ? { ETag: '"1"' } : {}) } })
}
