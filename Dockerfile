# One image for every verb: docker build --tag breakeven .
#   docker run --rm --volume breakeven-data:/var/lib/breakeven/data \
#     --volume "$PWD/breakeven.toml:/var/lib/breakeven/breakeven.toml:ro" breakeven ingest
# Pin the base to the digest that your registry shows: --build-arg PYTHON=python@sha256:...
ARG PYTHON=python:3.11.14-slim-bookworm
FROM ${PYTHON} AS packages

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore \
    PYTHONUNBUFFERED=1

# What changes least comes first: the pinned packages, then the code.
COPY requirements.lock /opt/breakeven/
RUN pip install --require-hashes --requirement /opt/breakeven/requirements.lock

FROM packages AS wheel
WORKDIR /opt/breakeven
COPY . .
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /opt/wheel .

# The image holds what the wheel holds, and nothing else of the checkout.
FROM packages
RUN useradd --uid 10001 --user-group --create-home breakeven \
    && install --directory --owner=breakeven --group=breakeven /var/lib/breakeven /var/lib/breakeven/data
RUN --mount=type=bind,from=wheel,source=/opt/wheel,target=/opt/wheel \
    pip install --no-deps /opt/wheel/*.whl

# A config mounted here is found, and its `data/` is the volume.
WORKDIR /var/lib/breakeven
VOLUME ["/var/lib/breakeven/data"]
USER 10001:10001
EXPOSE 8050
# Asks the dashboard on its usual port. A container of another verb, such as `schedule`, has none:
# run it with --no-healthcheck, or Docker calls it unhealthy.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8050/livez', timeout=4)"]
ENTRYPOINT ["breakeven"]
CMD ["up", "--host", "0.0.0.0"]
