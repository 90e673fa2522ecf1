{{- define "tollgate.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "tollgate.secret" -}}
{{ include "tollgate.name" . }}-settings
{{- end -}}

{{- /* An environment variable from the operator's secret, or from the one that this chart creates. */ -}}
{{- define "tollgate.secretVariable" -}}
{{- $own := .setting.value | default .setting.url -}}
{{- if or .setting.existingSecret $own }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .setting.existingSecret | default (include "tollgate.secret" .root) }}
      key: {{ ternary .setting.key .name (not (empty .setting.existingSecret)) }}
{{- end }}
{{- end -}}
