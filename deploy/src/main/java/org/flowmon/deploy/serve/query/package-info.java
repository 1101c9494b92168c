/** Queries over the archives: answered, explained, checked and completed. */
@NullMarked
package org.flowmon.deploy.serve.query;

import org.jspecify.annotations.NullMarked;
