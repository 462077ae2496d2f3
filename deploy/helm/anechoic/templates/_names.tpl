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

{{- define "anechoic.check" -}}
{{- $mode := .Values.authentication.mode }}
{{- if and (eq $mode "certificate") (not .Values.tls.secretName) }}
{{- fail "authentication.mode certificate needs tls.secretName" }}
{{- end }}
{{- if eq $mode "jwt" }}
{{- $_ := required "authentication.mode jwt needs authentication.jwt.keysConfigMap" .Values.authentication.jwt.keysConfigMap }}
{{- $_ := required "authentication.mode jwt needs authentication.jwt.issuer" .Values.authentication.jwt.issuer }}
{{- end }}
{{- end }}
