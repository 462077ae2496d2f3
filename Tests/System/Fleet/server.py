"""The command that starts a server of this project."""

import subprocess

# The operators' ports, for HAProxy's health checks. Each namespace has its own.
OPTIONS = {
    "--listen": "0.0.0.0:50051",
    "--authentication": "none",
    "--admin-listen": "off",
    "--http-listen": "0.0.0.0:50053",
    "--frame-budget": "0",
}


def server_command(bin, **options):
    """Returns the command with OPTIONS and `options`, as far as the program has them."""
    program = f"{bin}/anechoic-server"
    known = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    wanted = OPTIONS | {f"--{name.replace('_', '-')}": value for name, value in options.items()}
    command = [program]
    for name, value in wanted.items():
        if name in known:
            command += [name, str(value)]
    return command
