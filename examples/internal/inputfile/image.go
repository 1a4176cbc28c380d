package inputfile

// Image reads what matters of an image: {"properties": {…}}. The values are taken as they are written.
func Image(file string, content []byte) (map[string]string, error) {
	var properties map[string]string
	r := reader{file: file, ignored: []string{"id", "name", "status", "visibility", "size", "disk_format", "container_format"}}
	err := r.read(content, fields{"properties": r.texts(&properties)})
	return properties, err
}
