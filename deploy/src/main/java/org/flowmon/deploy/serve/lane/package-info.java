/** The threads that answer requests: small queries never wait for large ones. */
@NullMarked
package org.flowmon.deploy.serve.lane;

import org.jspecify.annotations.NullMarked;
