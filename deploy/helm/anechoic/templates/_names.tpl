{{- define "anechoic.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "anechoic.selector" -}}
app.kubernetes.io/name: anechoic
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "anechoic.labels" -}}
{{ include "anechoic.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The pods have claims of their own if they keep files. */}}
{{- define "anechoic.kind" -}}
{{ .Values.persistence.enabled | ternary "StatefulSet" "Deployment" }}
{{- end }}

{{/* The name of the service account, or nothing for the default account. */}}
{{- define "anechoic.account" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "anechoic.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{- define "anechoic.check" -}}
{{- $mode := .Values.authentication.mode }}
{{- if not $mode }}
{{- fail "set authentication.mode to jwt or certificate, or to none to let every client do everything" }}
{{- end }}
{{- if and (eq $mode "certificate") (not .Values.tls.secretName) }}
{{- fail "authentication.mode certificate needs tls.secretName" }}
{{- end }}
{{- if eq $mode "jwt" }}
{{- $jwt := .Values.authentication.jwt }}
{{- if ne (len (list $jwt.keysConfigMap $jwt.keysSecret $jwt.keysUrl | compact)) 1 }}
{{- fail "authentication.mode jwt needs one of keysConfigMap, keysSecret and keysUrl of authentication.jwt" }}
{{- end }}
{{- $_ := required "authentication.mode jwt needs authentication.jwt.issuer" .Values.authentication.jwt.issuer }}
{{- end }}
{{- end }}
